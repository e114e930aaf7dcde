/*
 * experiment.h - one training run as a struct: what the canonical schema of an experiment file
 * says.
 *
 *     name, seed
 *     data:      {name, dir, train_fraction, validation, input_size, normalize, + the set's own}
 *     model:     {name, + the network's own}  or  {name, layers: [...]}
 *     problem:   {loss}
 *     optimizer: {name, lr, + its own}
 *     schedule:  {name, + its own}
 *     algorithm: {name, + its own}
 *     transport: {name, workers, server}
 *     partition: {name, + its own}
 *     delays:    {delay, slow_worker}
 *     graph:     {name, weights, drop_links, drop_nodes, + the type's own}
 *     train:     {batch_size, epochs, max_steps, budget, threads, clip_norm, convolution, uneven,
 *                 statistics, evaluate_every, evaluate_rounds, loss_decay, log_every, save_every,
 * trace, paranoid}
 *
 * effective.yaml is experiment_dump of what ran; reading it back repeats the run to the bit.
 */
#ifndef TRAIN_EXPERIMENT_H
#define TRAIN_EXPERIMENT_H

#include "comm/topology.h"
#include "conf/flags.h"
#include "conf/registry.h"
#include "nn/net.h"

struct data_options {
    char *dir;
    double train_fraction, validation;
    int64_t input_size; /* 0: what the model's study uses, else the set's own */
    char *normalize;    /* NULL: what the model's study uses */
};

struct problem_options {
    char *loss; /* NULL: the model's */
};

/* What a worker does whose samples are fewer than others'. */
enum uneven_policy {
    UNEVEN_POLICY_AUTO, /* repeat over graphs, wait elsewhere */
    UNEVEN_POLICY_WAIT,
    UNEVEN_POLICY_REPEAT,
    UNEVEN_POLICY_SHORTEST,
};

struct train_options {
    int64_t batch_size, threads;
    int64_t epochs, max_steps; /* 0: no limit, which one of them is */
    char *budget;              /* NULL: none */
    double clip_norm;
    double loss_decay;
    int64_t evaluate_every, evaluate_rounds, log_every, save_every;
    int convolution; /* enum convolution */
    int uneven;      /* enum uneven_policy */
    int statistics;  /* enum statistics */
    bool trace, paranoid;
};

struct transport_options {
    char *name;      /* NULL: mpi under a launcher, else threads */
    int64_t workers; /* 0: as many as the launcher started, else one */
    int server;      /* 0: a thread beside worker 0; 1: a rank of its own */
};

struct delay_options {
    char *delay, *slow_worker; /* NULL: none */
};

struct experiment_options {
    char *name; /* NULL: <model>_<data set> */
    int64_t seed;
};

struct experiment {
    struct experiment_options top;
    struct data_options data;
    struct problem_options problem;
    struct train_options train;
    struct transport_options transport;
    struct delay_options delays;
    struct choice dataset, model, optimizer, schedule, algorithm, partition;
    struct topology_choice graph; /* of algorithms over graphs */
    char *model_name;             /* the zoo's name, or that of the layers' file */
    struct node *layers;          /* a network of the user's own; then model.entry is NULL */
};

/* The tables, for help and docs. */
extern const struct field experiment_fields[], data_fields[], problem_fields[], train_fields[];
extern const struct field transport_fields[], delay_fields[];

/* The keys of the sections; ends with NULL. */
extern const char *const experiment_sections[];

/* The same by section, for flags. */
extern const struct flag_table experiment_tables[];

/* The registries of the sections, in the order of the schema; ends with NULL. */
extern const struct registry *const experiment_registries[];

/* What is chosen where a section names nothing. */
const char *experiment_fallback(const struct registry *r);

/* Reads a whole experiment; what is not given takes its default. On failure nothing is left behind.
 */
enum status experiment_read(struct experiment *e, const struct node *root);
void experiment_release(struct experiment *e);

/* Every value, in the canonical schema. */
struct node *experiment_dump(const struct experiment *e);

/* Samples that train.budget ("samples:N") allows, all workers together; 0: no budget. */
enum status experiment_budget(const struct experiment *e, int64_t *samples);

/* The network of the experiment for these shapes: the zoo's or the user's own. */
enum status experiment_net(const struct experiment *e, struct shape in, int64_t outputs,
                           struct net **net);

#endif
