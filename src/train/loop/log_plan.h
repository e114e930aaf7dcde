/*
 * log_plan.h - after which rounds a run writes log rows: of the run, and of each worker.
 *
 * By default (train.log_every: -1) they are frequent enough for a curve and cheap enough to be
 * always there. What decides is known before the first round, so that a run that is repeated has
 * the same rows.
 */
#ifndef TRAIN_LOOP_LOG_PLAN_H
#define TRAIN_LOOP_LOG_PLAN_H

#include <stdbool.h>

#include "train/epochs.h"

/* What the default depends on. */
struct log_load {
    double epoch_rounds; /* rounds of an epoch */
    int64_t rounds;      /* of the run; 0: not known */
    int workers;
    double round_flops; /* of a worker in a round; 0: not known */
    int64_t params;
};

struct log_plan {
    int64_t every;    /* rounds between two log rows at the start; 0: there are none */
    int64_t rows;     /* after so many rows, and whenever they double, `every` doubles; 0: never */
    bool has_workers; /* rows of each worker too */
    bool is_prompt; /* the user has asked for each: workers of several processes send it at once */
};

struct log_plan log_plan_make(int64_t log_every, const struct log_load *load);
struct log_plan log_plan_of(const struct build *b, const struct run_length *length);

/* Whether log rows are due after this round, counted from 1. */
bool log_plan_is_due(const struct log_plan *p, int64_t round);

#endif
