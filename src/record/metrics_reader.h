/*
 * metrics_reader.h - reads the rows of metrics.jsonl, and drops those that a resumed run writes
 * again.
 *
 * Here: reading rows. Not here: writing them (recorder.c).
 */
#ifndef RECORD_METRICS_READER_H
#define RECORD_METRICS_READER_H

#include <stdint.h>

#include "record/json_read.h"

/*
 * Rewrites the file (write, fsync, rename) with the rows whose round is at most keep_round,
 * unchanged. A last row that a killed run left half-written is dropped; a damaged row elsewhere is
 * dropped with a warning that names its line. A missing file becomes an empty one.
 */
enum status metrics_reader_truncate(const char *path, int64_t keep_round);

/* The same for a file of a run directory; one that is missing stays missing. */
enum status metrics_reader_truncate_in(const char *run_dir, const char *name, int64_t keep_round);

/* Calls `visit` with every row of the file, in order. What consensus.jsonl has are such rows, too.
 */
struct metrics_reader_visitor {
    void (*visit)(void *context, const struct json_t *row);
    void *context;
};
enum status metrics_reader_each(const char *path, enum json_care care,
                                const struct metrics_reader_visitor *visitor);

/* The highest round of the rows; 0: there are none. */
enum status metrics_reader_last_round(const char *path, int64_t *round);

#endif
