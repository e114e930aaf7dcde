/*
 * spread.h - how far apart the models of a graph's nodes are: between any two of them, and from
 * their mean; as they are, and when each is scaled to length 1.
 */
#ifndef METRICS_SPREAD_H
#define METRICS_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"

struct spread {
    int nodes;
    double *raw, *normalized;                 /* [nodes][nodes]: Euclidean, between two nodes */
    double *from_mean, *from_mean_normalized; /* [nodes]; the latter: from the scaled ones' mean */
};

/*
 * gram[nodes][nodes]: products (x_i - c).(x_j - c), of which those with i <= j are read; c is any
 * vector near all of them, such as the mean. squares[nodes]: x_i.x_i.
 */
void spread_init(struct spread *s, const double *gram, const double *squares, int nodes);
void spread_release(struct spread *s); /* may be called twice */

/* consensus.jsonl of a run directory: a row per evaluation (docs/formats.md). */
struct spread_log {
    struct file_log rows;
    int64_t bytes; /* written so far */
    bool is_full;
};

/* keep_round as with recorder_open. */
enum status spread_log_open(struct spread_log *l, const char *run_dir, int64_t keep_round);

/* Beyond SPREAD_LOG_MAX bytes rows are left out; that is told once. */
enum { SPREAD_LOG_MAX = 1 << 28 };
enum status spread_log_add(struct spread_log *l, int64_t round, const struct spread *s);
void spread_log_close(struct spread_log *l); /* also of one that was never opened */

#endif
