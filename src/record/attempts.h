/*
 * attempts.h - attempts.jsonl of a run directory: one row per start of the run.
 *
 *     {"start": "2026-01-31T14:05:09+01:00", "end": "...", "reason": "finished", "host": "...",
 *      "pid": 4711, "process_start": 123456, "from_round": 0, "to_round": 900, "message": null}
 *
 * A row without `end` is of a process that still runs, or was killed without a parent that records
 * it.
 */
#ifndef RECORD_ATTEMPTS_H
#define RECORD_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Adds the row of this process. */
enum status attempts_begin(const char *run_dir, int64_t from_round);

/* Completes the row of this process: how it ended (result_word), and where. `message` may be
 * NULL. */
enum status attempts_end(const char *run_dir, const char *reason, int64_t to_round,
                         const char *message);

/* Completes the row of a child process that did not do it: killed, or ended by a bug. Whether there
 * was such a row: *was_open. */
struct attempts_death {
    int64_t pid;
    const char *reason, *message;
    int64_t to_round;
};
enum status attempts_end_child(const char *run_dir, const struct attempts_death *d, bool *was_open);

/* One start of a run. Texts are owned; end and message may be NULL. */
struct attempt {
    char *start, *end, *reason, *host, *message;
    int64_t pid, process_start;
    int64_t from_round, to_round; /* to_round -1: not known */
};
struct attempts {
    struct attempt *items;
    int64_t count;
};

/* A missing file is an empty list; a last row that was cut off is left out. Also after an error `a`
 * has the rows that read. */
enum status attempts_read(const char *run_dir, struct attempts *a);
void attempts_release(struct attempts *a);

#endif
