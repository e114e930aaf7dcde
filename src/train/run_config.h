/*
 * run_config.h - all settings of one run: what the canonical schema of an experiment file says.
 *
 *     name, seed
 *     data:      {name, dir, train_fraction, validation, folds, fold, fold_by, input_size,
 *                normalize, + the set's own}
 *     model:     {name, + the network's own}  or  {name, layers: [...]}
 *     problem:   {name, + the problem's own: loss of supervised}
 *     optimizer: {name, lr, + its own}
 *     schedule:  {name, + its own}
 *     algorithm: {name, + its own}
 *     transport: {name, workers, server}
 *     partition: {name, + its own}
 *     delays:    {delay, slow_worker}
 *     graph:     {name, weights, drop_links, drop_nodes, + the type's own}
 *     train:     {batch_size, micro_batch, epochs, max_steps, budget, stop, ends, init,
 * init_prefix, init_crc, threads, clip_norm, convolution, uneven, statistics, evaluate_every,
 *                 evaluate_rounds, print_evaluations, pairwise_distances, loss_decay,
 *                 record_correct, evaluate_train, log_every, save_every, save_rounds, keep,
 * saves_per_epoch, maps, trace, paranoid} output:    {style, histograms, tags}; a study has more
 * (study/output.h)
 *
 * A problem without data has none of the sections data, model and partition.
 *
 * effective.yaml is run_config_dump of what ran; reading it back repeats the run to the bit.
 */
#ifndef TRAIN_RUN_CONFIG_H
#define TRAIN_RUN_CONFIG_H

#include "conf/flags.h"
#include "conf/registry.h"
#include "graph/topology.h"
#include "problem/problem_setting.h"

/* Whether the distances between any two nodes of a graph are measured. */
enum pairwise_distances { PAIRWISE_AUTO, PAIRWISE_ALWAYS, PAIRWISE_NEVER };

/* When asynchronous workers end. ENDS_AUTO is that of synchronous ones, which end together. */
enum run_ends { ENDS_AUTO, ENDS_OWN, ENDS_TOTAL };

struct train_options {
    int64_t batch_size, micro_batch, threads;
    int64_t epochs, max_steps;           /* 0: no limit, which one of them is */
    char *budget;                        /* NULL: none */
    char *stop;                          /* NULL: none (stop_rule.h) */
    char *init, *init_prefix, *init_crc; /* NULL: none (initial_weights.h) */
    int ends;                            /* enum run_ends */
    double clip_norm;
    double loss_decay;
    int64_t evaluate_every, evaluate_rounds, log_every, save_every, save_rounds, keep,
        saves_per_epoch, maps;
    int convolution;        /* enum convolution */
    int uneven;             /* enum uneven_policy */
    int statistics;         /* enum statistics */
    int pairwise_distances; /* enum pairwise_distances */
    bool print_evaluations, record_correct, evaluate_train, trace, paranoid;
};

struct transport_options {
    char *name;      /* NULL: mpi under a launcher, else threads */
    int64_t workers; /* 0: as many as the launcher started, else one */
    int server;      /* 0: a thread next to worker 0; 1: a rank of its own */
};

struct delay_options {
    char *delay, *slow_worker; /* NULL: none */
};

/* What a run prints, and what its TensorBoard file has. */
struct run_output_options {
    int style;       /* the number of an entry of OUTPUT_STYLE_LIST */
    bool histograms; /* of weights and gradients, at evaluations */
    int tags;        /* enum event_tag_set */
};

struct run_config_options {
    char *name; /* NULL: <model>_<data set>, or the problem */
    int64_t seed;
};

struct run_config {
    struct run_config_options top;
    bool has_name; /* it was given, and not made from model and data */
    struct data_options data;
    struct train_options train;
    struct transport_options transport;
    struct delay_options delays;
    struct run_output_options output;
    struct choice problem, optimizer, schedule, algorithm;
    struct choice dataset, model, partition; /* of a problem with data */
    struct topology_choice graph;            /* of algorithms over graphs */
    char *model_name;                        /* the zoo's name, or that of the layers' file */
    struct node *layers; /* a network of the user's own; then model.entry is NULL */
};

/* The tables, for help and docs. */
extern const struct field run_config_fields[], train_fields[];
extern const struct field transport_fields[], delay_fields[], run_output_fields[];

/* The keys of the sections; ends with NULL. */
extern const char *const run_config_sections[];

/* The same by section, for flags. */
extern const struct flag_table run_config_tables[];

/* The registries of the sections, in the order of the schema; ends with NULL. */
extern const struct registry *const run_config_registries[];

/* What is chosen where a section names nothing. */
const char *run_config_fallback(const struct registry *r);

/* The name of a run or a study becomes that of a folder: it is UTF-8 and not empty. */
enum status run_config_check_name(const struct node *root);

/* Reads a whole run config; what is not given takes its default. On failure nothing is left
 * allocated. */
/* Whether the name of a model is that of a file of layers. */
bool run_config_is_model_file(const char *name);

enum status run_config_read(struct run_config *config, const struct node *root);
void run_config_release(struct run_config *config);

/* Every value, in the canonical schema; a name only if it was given. */
struct node *run_config_dump(const struct run_config *config);

#endif
