/*
 * rows.h - metrics.jsonl as a file of rows: what stands in it, and what a resumed run keeps of it.
 *
 * Here: reading rows. Not here: writing them (recorder.c).
 */
#ifndef METRICS_ROWS_H
#define METRICS_ROWS_H

#include <stdint.h>

#include "base/status.h"

/*
 * Rewrites the file (write, fsync, rename) with the rows whose round is at most keep_round, as they
 * stand. A last row that a killed run left half-written is dropped; a damaged row elsewhere is
 * dropped with a warning that names its line. A missing file becomes an empty one.
 */
enum status rows_truncate(const char *path, int64_t keep_round);

/* What is done about a line that is no row. A last one without its end is left out in any case. */
enum rows_care {
    ROWS_LENIENT,         /* it is skipped */
    ROWS_STRICT,          /* it is an error that names file and line */
    ROWS_STRICT_AND_TOLD, /* and a last one without its end is told */
};

/* Calls `take` with every row of the file, in order. */
struct json_t; /* jansson's */
struct rows_taker {
    void (*take)(void *context, const struct json_t *row);
    void *context;
};
enum status rows_each(const char *path, enum rows_care care, const struct rows_taker *taker);

/* The highest round of the rows; 0: there are none. */
enum status rows_last_round(const char *path, int64_t *round);

#endif
