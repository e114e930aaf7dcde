/*
 * batch_ahead.h - a worker's batches whose samples must be read or augmented: the present one, and
 * the next ones on their way (data/loader.h).
 *
 * Which samples come next is known, because a schedule is a function of (epoch, batch).
 */
#ifndef PROBLEM_BATCH_AHEAD_H
#define PROBLEM_BATCH_AHEAD_H

#include "data/loader.h"
#include "problem/batch_schedule.h"

struct batch_ahead;

struct batch_ahead_setup {
    struct batch_schedule_setup schedule;
    struct loader *loader;                 /* borrowed */
    const struct preparation *preparation; /* borrowed */
    const struct samples *part;            /* borrowed */
    int64_t ahead;                         /* batches that are prepared in advance */
};

struct batch_ahead *batch_ahead_new(const struct batch_ahead_setup *setup);
void batch_ahead_free(struct batch_ahead *a); /* accepts NULL */

/* The next draw is batch `batch` of `epoch`. */
void batch_ahead_seek(struct batch_ahead *a, int64_t epoch, int64_t batch);

/* The next batch, and its samples, which loader_finish completes. Both are valid until the next
 * call. */
struct scheduled_batch batch_ahead_next(struct batch_ahead *a, struct loader_batch **samples);

/* The memory of one worker. */
int64_t batch_ahead_bytes(const struct preparation *p, int64_t batch_size, int64_t ahead);

#endif
