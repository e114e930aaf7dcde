/*
 * consensus_distance.h - distances between the models of a graph's nodes: between any two of them,
 * and from their mean; as they are, and when each is scaled to length 1.
 */
#ifndef RECORD_CONSENSUS_DISTANCE_H
#define RECORD_CONSENSUS_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"

struct consensus_distance {
    int nodes;
    double *raw, *normalized; /* [nodes][nodes]: Euclidean, between two nodes; NULL: not measured */
    double *from_mean, *from_mean_normalized; /* [nodes]; the latter: from the scaled ones' mean */
};

/*
 * gram[nodes][nodes]: products (x_i - c).(x_j - c), of which those with i <= j are read; c is any
 * vector near all of them, such as the mean. squares[nodes]: x_i.x_i.
 */
void consensus_distance_init(struct consensus_distance *s, const double *gram,
                             const double *squares, int nodes);

/* Those from the mean alone, which are copied: from[nodes]. */
struct consensus_from_mean {
    double distance, normalized;
};
void consensus_distance_init_from_mean(struct consensus_distance *s,
                                       const struct consensus_from_mean *from, int nodes);
void consensus_distance_release(struct consensus_distance *s); /* may be called twice */

/* consensus.jsonl of a run directory: a row per evaluation (docs/reference/formats.md). */
struct consensus_log {
    struct file_log rows;
    int64_t bytes; /* written so far */
    bool is_full;
};

/* keep_round as with recorder_open. */
enum status consensus_log_open(struct consensus_log *l, const char *run_dir, int64_t keep_round);

/* Beyond CONSENSUS_LOG_MAX bytes rows are left out, with one warning. */
enum { CONSENSUS_LOG_MAX = 1 << 28 };
enum status consensus_log_add(struct consensus_log *l, int64_t round,
                              const struct consensus_distance *s);
void consensus_log_close(struct consensus_log *l); /* also of one that was never opened */

#endif
