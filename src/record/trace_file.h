/*
 * trace_file.h - trace.json of a run directory: what each worker and server did when.
 *
 * Read are the spans that say how time was spent: those of the transport, which follow one another,
 * and evaluations and checkpoints, which lie around them. comm/trace_write.c writes the file, an
 * event per line.
 */
#ifndef RECORD_TRACE_FILE_H
#define RECORD_TRACE_FILE_H

#include <stdint.h>

#include "base/status.h"

/* clang-format off */
/* X(constant, name in the file) */
#define TRACE_FILE_LIST(X)          \
    X(COMPUTE,    "compute")        \
    X(WAIT,       "wait")           \
    X(SEND,       "send")           \
    X(RECEIVE,    "receive")        \
    X(SUM,        "sum")            \
    X(CONTROL,    "control")        \
    X(SLEEP,      "sleep")          \
    X(EVALUATE,   "evaluate")       \
    X(CHECKPOINT, "checkpoint")     \
    X(ROUND,      "round")          \
    X(LEFT_OUT,   "left out") /* spans are missing here: the trace was full */
/* clang-format on */

enum trace_file_what {
#define TRACE_FILE_CONSTANT(constant, name) TRACE_FILE_##constant,
    TRACE_FILE_LIST(TRACE_FILE_CONSTANT)
#undef TRACE_FILE_CONSTANT
        TRACE_FILE_WHATS
};

struct trace_span_read {
    double start, end; /* seconds */
    enum trace_file_what what;
};

struct trace_track {
    char *name;                    /* "worker 3", "server" */
    struct trace_span_read *spans; /* in the order of the file: by start, what contains first */
    int64_t count;
};

struct trace_file {
    struct trace_track *tracks;
    int64_t count;
    double start, end; /* of all spans; 0 without any */
};

enum { TRACE_FILE_TRACKS_MAX = 4096 };

/* A missing file is an error. Lines that are not events are skipped. */
enum status trace_file_read(const char *run_dir, struct trace_file *t);
void trace_file_release(struct trace_file *t); /* may be called twice */

#endif
