/*
 * build.h - from an experiment to everything that its workers share in a process: data, model,
 * partition, delays. All of it is read-only once it stands. What each worker has of its own is an
 * actor (actor.h).
 */
#ifndef TRAIN_BUILD_H
#define TRAIN_BUILD_H

#include "algo/algo.h"
#include "data/batch.h"
#include "data/partition.h"
#include "data/split.h"
#include "nn/loss.h"
#include "problem/station.h"
#include "train/experiment.h"

/* Who computes: how many in all, and how many of them in this process or on this host. */
struct build_size {
    int workers;
    int neighbours; /* workers that share this host's cores, this one included */
};

struct build {
    struct experiment *experiment; /* borrowed; values that depend on others are filled in */
    const struct algo_ops *algo;
    struct dataset *dataset;
    struct split split;
    struct gather gather;
    struct model *model;
    const struct loss_ops *loss;
    struct partition partition;
    struct delays delays;
    struct topology *topology;   /* of algorithms over graphs with several workers; else NULL */
    struct topology_facts links; /* of the topology; zero where there is none */
    int workers, threads;        /* threads of each worker */
    int64_t largest;             /* samples of the worker that has most */
    int64_t batch;               /* samples in a worker's mini-batch */
    int64_t epoch_batches;       /* of each worker when all keep step; 0: everybody's own number */
    int64_t all_batches;         /* of all workers in one pass of each over its samples */
    int64_t budget;              /* samples; 0: epochs count */
    struct stations *stations;   /* where workers compute */
    struct stations *wide;       /* where one computes while all others wait: all cores */
    struct problem *examiner;    /* evaluates there; draws no batches */
};

/*
 * Loads the data, plans the model, deals the samples. Fills in the experiment's values that were
 * left to the model (normalize, input_size, loss). Refuses before allocating what cannot fit in
 * memory.
 */
enum status build_new(struct experiment *e, const struct build_size *size, struct build **build);
void build_free(struct build *b);

/* Workers of a run that share the cores of this host, as far as the launcher tells. */
int build_neighbours(int processes, int workers);

/* The problem of one worker; counters [model->counter_count] are the worker's. */
struct problem *build_problem(const struct build *b, int worker, int64_t *counters);

/* A problem that only evaluates, at these stations. */
struct problem *build_examiner(const struct build *b, struct stations *stations);

/* Whether a metric of classes (accuracy) means anything. */
bool build_has_classes(const struct build *b);

/* The share of the largest class of the test set: the accuracy of one answer to everything. NaN
 * without classes or without a test set. */
double build_chance(const struct build *b);

/* Whether workers keep step through their data: round k is everybody's batch k. */
bool build_keeps_step(const struct build *b);

#endif
