/*
 * supervised.h - the problem of learning targets from inputs: a model, a loss, a worker's data.
 */
#ifndef PROBLEM_SUPERVISED_H
#define PROBLEM_SUPERVISED_H

#include "data/gather.h"
#include "data/loader.h"
#include "nn/loss.h"
#include "problem/batch_schedule.h"
#include "problem/compute_pool.h"
#include "problem/problem.h"

/* All of it borrowed. Workers of a process share everything but worker and batches_tracked. */
struct supervised_setup {
    const struct model *model;
    const struct loss_ops *loss;
    const struct gather *gather;
    const struct validation_split *split;
    uint64_t seed;
    int64_t batch_size;        /* of one worker */
    struct compute_pool *pool; /* for the same model, and batches at least as large */
    bool owns_pool;            /* the problem frees it */
    struct loader *loader;     /* of training samples that must be prepared; else NULL */
    int64_t ahead;             /* batches that it prepares in advance */
    int64_t *batches_tracked;  /* [model->tracked_count]: BatchNorm's counts of batches */

    /* The worker's part of the training samples and its epochs, as in batch_schedule.h. */
    const struct partition *partition;
    int worker;
    const struct lidar_windows *windows;
    int64_t epoch_batches;
    enum uneven uneven;
};

struct problem *supervised_new(const struct supervised_setup *setup);

#endif
