/*
 * curve_data.h - the curves of runs as JSON, for the script of the page.
 *
 * A table has the rows in which the same metrics stand: columns round, epoch, samples, gradients,
 * bytes and seconds, and a column per metric. A column that is a multiple of the rounds is written
 * as {"times": k}.
 */
#ifndef REPORT_CURVE_DATA_H
#define REPORT_CURVE_DATA_H

#include "base/json.h"
#include "record/metric_table.h"

/* How much of each run a page has room for. */
struct curve_limits {
    int64_t numbers;        /* of a run as a whole */
    int64_t worker_numbers; /* of all workers of a run */
    int digits;             /* significant ones; 0: all */
    int worker_digits;
};
struct curve_limits curve_limits_for(int64_t run_count);

/* Workers beyond so many have no curves. */
enum { CURVE_WORKERS_MAX = 64, CURVE_ROWS_MAX = 500 };

/* Into an open map: "best_round", "tables", and "workers" where several workers have rows. */
void curve_data_add(struct json *j, const struct metric_table *t, const struct curve_limits *l);

/* Whether curve_data_add writes "workers". */
bool curve_data_has_workers(const struct metric_table *t);

#endif
