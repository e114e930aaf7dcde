/*
 * record.h - the record of a run: everything that its directory says, read by one function.
 *
 * Every file is optional. One that is missing is absent, one that does not read is damaged and has
 * a message; neither keeps the others from being read. A run that was killed reads like a finished
 * one: of files that grow, a last row that was cut off is left out.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "conf/node.h"
#include "record/attempts.h"
#include "record/confusion.h"
#include "record/graph_rows.h"
#include "record/live.h"
#include "record/metric_table.h"
#include "record/partition_counts.h"
#include "record/result.h"
#include "record/rundir.h"
#include "record/scan_rows.h"
#include "record/workers.h"

/* clang-format off */
/* X(constant, name, folder): TOP is that of the study or of the run as a whole, RUN that of the run */
#define RECORD_FILE_LIST(X)                                     \
    X(EXPERIMENT,  "experiment.yaml",              TOP)         \
    X(CONFIG,      "effective.yaml",               TOP)         \
    X(ENVIRONMENT, "environment.json",             TOP)         \
    X(LOG,         "log.txt",                      TOP)         \
    X(ATTEMPTS,    "attempts.jsonl",               RUN)         \
    X(LIVE,        "live.json",                    RUN)         \
    X(METRICS,     "metrics.jsonl",                RUN)         \
    X(RESULT,      "result.json",                  RUN)         \
    X(WORKERS,     "workers.json",                 RUN)         \
    X(PARTITION,   "partition.json",               RUN)         \
    X(PARTS,       "partition.txt",                RUN)         \
    X(GRAPH,       "graph.jsonl",                  RUN)         \
    X(SCANS,       "scans.jsonl",                  RUN)         \
    X(CONSENSUS,   "consensus.jsonl",              RUN)         \
    X(CORRECT,     "correct.jsonl",                RUN)         \
    X(SNAPSHOTS,   "snapshots.bin",                RUN)         \
    X(MAPS,        "maps.bin",                     RUN)         \
    X(CONFUSION,   "confusion.json",               RUN)         \
    X(MODEL,       "model.safetensors",            RUN)         \
    X(LAST,        "checkpoints/last.safetensors", RUN)         \
    X(BEST,        "checkpoints/best.safetensors", RUN)         \
    X(TRACE,       "trace.json",                   RUN)
/* clang-format on */

enum record_file_id {
#define RECORD_FILE_CONSTANT(constant, name, folder) RECORD_##constant,
    RECORD_FILE_LIST(RECORD_FILE_CONSTANT)
#undef RECORD_FILE_CONSTANT
        RECORD_FILES
};

enum record_file_state { RECORD_ABSENT, RECORD_PRESENT, RECORD_DAMAGED, RECORD_FILE_STATES };
extern const char *const record_file_state_names[RECORD_FILE_STATES];

struct record_file {
    const char *name; /* below its folder */
    enum record_file_state state;
    int64_t bytes; /* -1: absent */
    char *message; /* of a damaged one; else NULL */
};

/* Where the run stands. */
enum record_state {
    RECORD_RUNNING,
    RECORD_FINISHED,
    RECORD_INTERRUPTED, /* stopped on request */
    RECORD_DIVERGED,
    RECORD_FAILED,
    RECORD_KILLED,  /* its process is gone and did not say how it ended */
    RECORD_UNKNOWN, /* no file says it, or its process is on another host */
    RECORD_STATES
};
extern const char *const record_state_names[RECORD_STATES];

/* Of an absent or damaged file the part is empty, or has what could be read. */
struct record {
    char *run_dir, *top_dir; /* the same where one folder is both */
    enum record_state state;
    struct record_file files[RECORD_FILES];
    struct node *config; /* effective.yaml; NULL: absent or damaged */
    struct rundir_facts environment;
    struct attempts attempts;
    struct live_file live;
    struct metric_table metrics;
    struct run_result result;
    struct record_workers workers;
    struct partition_counts partition;
    struct graph_rows graph; /* also of graph.json, which earlier versions wrote */
    struct scan_rows scans;
    struct confusion confusion;
};

/* `path` as rundir_find takes it. Fails only when it is no run. */
enum status record_open(const char *path, struct record *r);

/* The same without what grows with a run's length or size: config, environment, attempts, live and
 * result are read, and of the other files only whether they are there. */
enum status record_open_brief(const char *path, struct record *r);
void record_release(struct record *r); /* may be called twice */

static inline bool record_has(const struct record *r, enum record_file_id id)
{
    return r->files[id].state == RECORD_PRESENT;
}

#endif
