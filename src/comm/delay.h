/*
 * delay.h - delays that are injected between computing and sending, to study what slow workers and
 * slow networks do: `--delay` for all workers, `--slow-worker` for some.
 *
 *     30ms, 0.5s, constant:30ms        always the same
 *     gaussian:MEAN,STD                max(0, normal)
 *     lognormal:MEAN,STD               of this mean and deviation
 *     exponential:MEAN
 *     pareto:MEAN,SHAPE                the heavier the tail, the nearer SHAPE is to 1
 *
 * A MEAN is a duration (us, ms, s) or a preset: small, medium, long = 10, 20, 30 ms, and
 * s000:small, ... = 30, 60, 90 ms; with a preset STD may be left out and is 5 ms. A preset alone is
 * constant.
 *
 * A draw is a function of (seed, worker, step), whoever draws first.
 *
 * Not here: the sleeping (transport.h) and the recording.
 */
#ifndef COMM_DELAY_H
#define COMM_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Draws above these limits are cut to them, so that a heavy tail cannot stop a run. */
#define DELAY_MOST       3600.0 /* seconds */
#define DELAY_MOST_MEANS 1000.0 /* means, for lognormal and pareto */

enum delay_kind {
    DELAY_NONE,
    DELAY_CONSTANT,
    DELAY_GAUSSIAN,
    DELAY_LOGNORMAL,
    DELAY_EXPONENTIAL,
    DELAY_PARETO,
};

struct delay {
    enum delay_kind kind;
    double mean;   /* seconds */
    double spread; /* gaussian, lognormal: the deviation in seconds; pareto: the shape */
};

/* One worker that is not like the others. */
struct slow_worker {
    int worker;
    double factor;      /* on the common delay, or on computing if there is none; 0: not given */
    struct delay delay; /* instead of the common one; DELAY_NONE: not given */
};

struct delays {
    struct delay common;
    struct slow_worker *slow; /* [slow_count] */
    int slow_count;
};

/* `--delay`: "none" or NULL is no delay. Errors name what would be right. */
enum status delay_read(struct delay *d, const char *text);

/*
 * Both flags, either may be NULL. slow is "WORKER:FACTOR" or "WORKER:DELAY", several by commas:
 * "1:2.0,3:60ms". Workers are 0 .. workers-1. On failure nothing is left behind.
 */
enum status delays_init(struct delays *d, const char *delay, const char *slow, int workers);
void delays_release(struct delays *d);

/* Whether any worker is delayed; NULL: none. */
bool delays_are_set(const struct delays *d);

/* Seconds that this worker waits in this step: finite, in [0, DELAY_MOST]. */
double delay_draw(const struct delays *d, uint64_t seed, int worker, int64_t step);

/* By how much this worker's computing is stretched: 1, or a factor above 1 without a delay. */
double delay_compute_factor(const struct delays *d, int worker);

#endif
