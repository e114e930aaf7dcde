/*
 * batch_schedule.h - a worker's batches in an epoch that all workers share: which samples are in
 * its batch number b, and how many all workers have there together.
 *
 * Everything is a function of (epoch, batch), so a schedule can be set to any position by these two
 * alone. With a partition workers may have different numbers of batches; enum uneven says what a
 * worker does that has fewer than the epoch. One that has more is cut off: it goes to its next
 * epoch with the others.
 *
 * With windows a worker has the samples of its present window only, and its windows go on from
 * epoch to epoch: its draw number d of the run is batch d of its windows (data/window_sampler.h),
 * whatever the epoch. It always has samples.
 */
#ifndef PROBLEM_BATCH_SCHEDULE_H
#define PROBLEM_BATCH_SCHEDULE_H

#include "data/sampler.h"
#include "data/validation_split.h"
#include "data/window_sampler.h"

enum uneven {
    UNEVEN_EMPTY,  /* its remaining batches of the epoch are empty */
    UNEVEN_REPEAT, /* it starts over with its samples, in another order */
};

/* All borrowed. */
struct batch_schedule_setup {
    const struct validation_split *split;
    const struct partition *partition;   /* NULL: the whole split's training samples */
    int worker;                          /* of the partition */
    const struct lidar_windows *windows; /* [workers of the partition]; NULL: no windows */
    uint64_t seed;
    int64_t batch_size;
    int64_t epoch_batches; /* for all workers; 0: the worker's own number */
    enum uneven uneven;
};

struct batch_schedule {
    struct batch_schedule_setup setup;
    struct sampler sampler;               /* without windows */
    struct window_sampler window_sampler; /* with windows */
    int64_t own_samples;
    int64_t own_batches;   /* in one pass over the worker's samples */
    int64_t epoch_batches; /* never 0 */
    int64_t epoch, batch;  /* of the next draw */
};

/* A drawn batch; the samples are valid until the next draw. */
struct scheduled_batch {
    int64_t epoch, pass;    /* with windows: the window's number, and 0 */
    int64_t size;           /* 0: empty */
    int64_t total;          /* of all workers */
    const int64_t *samples; /* [size] */
};

void batch_schedule_init(struct batch_schedule *c, const struct batch_schedule_setup *setup);
void batch_schedule_release(struct batch_schedule *c);

/* The next draw is batch `batch` of `epoch`. */
void batch_schedule_seek(struct batch_schedule *c, int64_t epoch, int64_t batch);
struct scheduled_batch batch_schedule_next(struct batch_schedule *c);

#endif
