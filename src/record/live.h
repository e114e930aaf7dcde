/*
 * live.h - live.json of a run directory: how the run is doing, for whoever watches it.
 *
 * The leader rewrites it at most once a second. A reader sees the old file or the new one; it is
 * not flushed to the disk, so that a slow disk never holds training up. Its last version says how
 * the run ended. After a kill it still says "running", and its process no longer exists.
 */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include <stdbool.h>

#include "base/process.h"
#include "record/counters.h"

/* Numbers that are not known are NaN. */
struct live_state {
    const char *state;           /* "running", or how the run ended: result_word */
    int64_t round, rounds_total; /* 0: not known */
    double epoch;
    double loss, accuracy; /* of the epoch so far */
    double test_accuracy;  /* of the last evaluation */
    double samples_per_s;
    const struct counters *totals;  /* of the run */
    const struct counters *workers; /* [worker_count], as of the last sync point, or NULL */
    int worker_count;
};

struct live {
    char *path; /* NULL: closed */
    double written_at;
    const char *clock; /* "wall" or "virtual": what seconds mean */
};

void live_open(struct live *l, const char *run_dir, const char *clock);

/* Whether a second has passed since it was written. */
bool live_is_due(const struct live *l);
enum status live_write(struct live *l, const struct live_state *s);
void live_close(struct live *l);

/* Says how the run ended in the file that is there. */
enum status live_end(const char *run_dir, const char *state);

/* The file as it was read; owned. Numbers that it does not have are NaN. */
struct live_file {
    char state[32], time[48], clock[16];
    struct process_identity process;
    int64_t round, rounds_total;
    double epoch, loss, accuracy, test_accuracy, samples_per_s;
    struct counters totals;
    struct counters *workers; /* [worker_count] */
    int64_t worker_count;
};
enum status live_read(const char *run_dir, struct live_file *f);
void live_file_release(struct live_file *f);

#endif
