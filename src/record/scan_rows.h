/*
 * scan_rows.h - scans.jsonl of a run directory: where robots are along the run and what they see
 * there, a row per round in which that was noted.
 *
 *     {"round": 0, "positions": [[-72.2, -67.4], ...], "ends": [[[-91.3, -67.4], ...], ...]}
 */
#ifndef RECORD_SCAN_ROWS_H
#define RECORD_SCAN_ROWS_H

#include <stdint.h>

#include "base/status.h"

/* At most so many robots have beams in a row, and at most so many of them: files stay small. */
enum { SCAN_ROBOTS_MAX = 64, SCAN_BEAMS_MAX = 64 };

struct scan_row {
    int64_t round;
    int64_t robots;
    double *positions; /* [robots][2] */
    int64_t scanned;   /* robots with beams: the first of all */
    int64_t beams;     /* of each */
    double *ends;      /* [scanned][beams][2] */
};

/* Adds a row, rounded to tenths; the file is made if there is none. */
enum status scan_rows_add(const char *run_dir, const struct scan_row *row);

/* Drops rows after this round, which a resumed run writes again; fine without a file. */
enum status scan_rows_truncate(const char *run_dir, int64_t keep_round);

struct scan_rows {
    struct scan_row *items;
    int64_t count;
};

/* A missing file has no rows; a last row that was cut off is left out. Also after an error it has
 * the rows that read. */
enum status scan_rows_read(const char *run_dir, struct scan_rows *s);
void scan_rows_release(struct scan_rows *s);

#endif
