/*
 * supervised.h - the problem of learning targets from inputs: a model, a loss, a worker's data.
 */
#ifndef PROBLEM_SUPERVISED_H
#define PROBLEM_SUPERVISED_H

#include "data/batch.h"
#include "nn/loss.h"
#include "problem/course.h"
#include "problem/problem.h"
#include "problem/station.h"

/* All of it borrowed. Workers of a process share everything but worker and counters. */
struct supervised_setup {
    const struct model *model;
    const struct loss_ops *loss;
    const struct gather *gather;
    const struct split *split;
    uint64_t seed;
    int64_t batch_size;        /* of one worker */
    struct stations *stations; /* for the same model, and batches at least as large */
    int64_t *counters; /* [model->counter_count]: BatchNorm's count of batches, beside the state */

    /* The worker's part of the training samples and its epochs, as in course.h. */
    const struct partition *partition;
    int worker;
    int64_t epoch_batches;
    enum uneven uneven;
};

struct problem *supervised_new(const struct supervised_setup *setup);

#endif
