/*
 * metric_table.h - metrics.jsonl as columns: what every row carries, and for each metric of each
 * worker the series of its values.
 *
 *     const struct metric_series *s = metric_table_find(&t, METRIC_ALL_WORKERS, "test_loss");
 *     for (int64_t i = 0; i < s->count; i++)
 *         plot(t.seconds[s->rows[i]], s->values[i]);
 */
#ifndef RECORD_METRIC_TABLE_H
#define RECORD_METRIC_TABLE_H

#include <stdint.h>

#include "base/status.h"

struct metric_series {
    const char *name; /* of the table */
    int64_t worker;   /* METRIC_ALL_WORKERS: of the run */
    int64_t count;
    int64_t *rows;  /* [count], ascending: places in the table's columns */
    double *values; /* [count]; NaN: it was not finite */
};

/* A metric's name, and where its series are. */
struct metric_name {
    char *name;
    int64_t *series; /* [series_room] of worker - 1, 0, ...: its place + 1; 0: there is none */
    int64_t series_room;
};

struct metric_table {
    int64_t row_count;
    int64_t *worker, *round, *samples, *gradients, *bytes; /* [row_count] */
    double *epoch, *seconds;                               /* [row_count] */
    struct metric_series *series;                          /* in the order in which they begin */
    int64_t series_count;
    struct metric_name *names;
    int64_t name_count;
    int64_t next_name; /* while it is read: where the next key is looked for first */
};

/* A last row that was cut off is left out. Also after an error it has the rows that read. */
enum status metric_table_read(const char *run_dir, struct metric_table *t);
void metric_table_release(struct metric_table *t);

/* Leaves out the rows after this round; 0: none. */
void metric_table_cut(struct metric_table *t, int64_t round);

/* NULL: this worker has no such metric. */
const struct metric_series *metric_table_find(const struct metric_table *t, int64_t worker,
                                              const char *name);

/* The value of a series in this row of the table; NaN: it has none there. */
double metric_series_at(const struct metric_series *s, int64_t row);

#endif
