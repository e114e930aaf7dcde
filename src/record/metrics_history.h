/*
 * metrics_history.h - facts about the course of a run, from its metrics.jsonl.
 *
 * Of an evaluation counts what runs are compared by: over a graph the mean over the nodes; on the
 * test set, or without one on the validation set.
 */
#ifndef RECORD_METRICS_HISTORY_H
#define RECORD_METRICS_HISTORY_H

#include <stdint.h>

#include "record/amount.h"

/* What is looked for: how good a run was when it had used an amount, and when it first was as good
 * as a target. */
enum target_kind { TARGET_NONE, TARGET_ACCURACY, TARGET_LOSS };
struct milestones {
    struct amount at; /* of the unit AMOUNT_NONE: not asked for */
    enum target_kind target_kind;
    double target;  /* an accuracy to be reached, a fraction; or a loss */
    int64_t rounds; /* only so many count; 0: all */
};

/* One evaluation; all NaN: there was none. */
struct evaluated_point {
    double accuracy, loss;     /* NaN: not measured */
    double used[AMOUNT_UNITS]; /* by the run until then, of each unit */
};

/* The last evaluation at or before m->at, and the first that reaches the target. Nothing is
 * interpolated. */
struct milestones_found {
    struct evaluated_point at, target;
};
void metrics_history_find(const char *folder, const struct milestones *m,
                          struct milestones_found *found);

#endif
