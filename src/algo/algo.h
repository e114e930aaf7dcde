/*
 * algo.h - training algorithms: one round of one worker. Evaluation, recording, checkpoints,
 * stopping and progress exist once, in the loop around the rounds (train/loop.c).
 */
#ifndef ALGO_ALGO_H
#define ALGO_ALGO_H

#include "conf/registry.h"
#include "optim/optim.h"
#include "problem/problem.h"

/* What a round did, for the loop's records. */
struct round_result {
    struct batch_result batch; /* of the first gradient of the round */
    int64_t gradients;         /* gradient evaluations */
    double gradient_norm;      /* before clipping; 0 when it was not needed */
};

/* One worker as an algorithm sees it. All borrowed; the run owns them. */
struct worker {
    struct problem *problem;
    struct optim *optim;
    float *state;             /* [problem->state_count]: parameters and buffers */
    float *gradient;          /* [problem->param_count] */
    struct optim_rates rates; /* of this round, set by the loop */
    double clip_norm;         /* 0: off */
    struct round_result result;
};

/* Adding an algorithm: its file with one of these, and its line in list.h. */
struct algo_ops {
    struct entry entry;
    enum status (*round)(struct worker *w);
};

extern const struct registry algo_registry;

/* One round through the checked door. */
enum status algo_round(const struct algo_ops *a, struct worker *w);

#endif
