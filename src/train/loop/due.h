/*
 * due.h - what is due after a round: a function of the settings and of the round's number alone, so
 * that all workers know it without asking each other.
 */
#ifndef TRAIN_LOOP_DUE_H
#define TRAIN_LOOP_DUE_H

#include "train/epochs.h"

struct due_actions {
    bool logs;       /* log rows: of the run, and of each worker (log_plan.h) */
    bool ends_epoch; /* a row of the epoch */
    bool evaluates;
    bool saves;     /* a checkpoint */
    bool snapshots; /* the run model to snapshots.bin */
};

/* Of the endpoint whose run is this long, after `round` rounds. Not here: `logs`. */
struct due_actions due_after_round(const struct train_options *o, const struct run_length *length,
                                   int64_t round);

/* Whether it is more than a row: all workers wait for it, or the model is copied. */
static inline bool due_needs_model(const struct due_actions *due)
{
    return due->evaluates || due->saves || due->snapshots;
}

static inline bool due_is_any(const struct due_actions *due)
{
    return due->logs || due->ends_epoch || due_needs_model(due);
}

#endif
