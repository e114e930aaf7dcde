/*
 * schedule.h - learning rates as functions of the clock: nothing to save, nothing to advance.
 */
#ifndef OPTIM_SCHEDULE_H
#define OPTIM_SCHEDULE_H

#include "conf/registry.h"
#include "optim/optim.h"

/* Where a run stands when a step is about to be taken. All from 0. */
struct schedule_clock {
    int64_t step, steps_total;
    int64_t epoch, epochs_total;
};

/* Adding a schedule: its file with one of these under schedules/, its line in schedule_list.h. */
struct schedule_ops {
    struct entry entry;
    /* base: the optimiser's own rates; what the schedule does not change it hands on. */
    struct optim_rates (*rates)(const void *options, const struct schedule_clock *clock,
                                struct optim_rates base);
    bool spans_run; /* whether rates depend on how long the run is */
};

/* constant, linear, geometric, exponential, cosine, step, onecycle */
extern const struct registry schedule_registry;

struct optim_rates schedule_rates(const struct choice *chosen, const struct schedule_clock *clock,
                                  struct optim_rates base);

/* Whether a run that becomes longer has other rates from its beginning. */
bool schedule_spans_run(const struct choice *chosen);

/* Whether it brings momentum to an optimiser that has none. */
bool schedule_brings_momentum(const struct choice *chosen);

/* --- for the files under schedules/ --- */

/* The field `every` of schedules that run over the whole run: what counts as one tick. */
enum schedule_every { SCHEDULE_EVERY_STEP, SCHEDULE_EVERY_EPOCH };
extern const char *const schedule_every_names[];

/* The tick at which a run stands, 0 .. total-1 (held there afterwards), and the run's ticks. */
struct schedule_ticks {
    int64_t now, total; /* total at least 1 */
};
struct schedule_ticks schedule_ticks(const struct schedule_clock *clock, enum schedule_every every);

/* now / (total - 1): 0 at the first tick, 1 at the last one and where there is only one tick. */
double schedule_share(struct schedule_ticks ticks);

#endif
