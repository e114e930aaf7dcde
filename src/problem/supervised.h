/*
 * supervised.h - the problem of learning targets from inputs: a model, a loss, a data set.
 */
#ifndef PROBLEM_SUPERVISED_H
#define PROBLEM_SUPERVISED_H

#include "data/batch.h"
#include "data/split.h"
#include "nn/loss.h"
#include "problem/problem.h"

/* What the workers of a run share, all of it read-only and borrowed. */
struct supervised_setup {
    const struct model *model;
    const struct loss_ops *loss;
    const struct gather *gather;
    const struct split *split;
    uint64_t seed;
    int64_t batch_size;
    struct team *team; /* who computes */
    int64_t *counters; /* [model->counter_count]: BatchNorm's count of batches, beside the state */
};

struct problem *supervised_new(const struct supervised_setup *setup);

#endif
