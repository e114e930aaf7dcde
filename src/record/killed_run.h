/*
 * killed_run.h - completes the record of a run whose process died without saying how: what the
 * parent of that process knows.
 */
#ifndef RECORD_KILLED_RUN_H
#define RECORD_KILLED_RUN_H

#include <stdint.h>

#include "base/status.h"

struct killed_run {
    const char *name;
    int64_t pid;
    const char *why; /* "killed by signal 9 (perhaps out of memory)" */
};

/* In attempts.jsonl, live.json and, where the process has not written one, result.json. */
enum status killed_run_record(const char *run_dir, const struct killed_run *k);

#endif
