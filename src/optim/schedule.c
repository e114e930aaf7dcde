/*
 * schedule.c - what the schedules share: the checked call, and the run as ticks of a clock.
 */
#include "optim/schedule.h"

#include "base/check.h"

const char *const schedule_every_names[] = {"step", "epoch", NULL};

struct optim_rates schedule_rates(const struct choice *chosen, const struct schedule_clock *clock,
                                  struct optim_rates base)
{
    CHECK(chosen->entry != NULL && clock->step >= 0 && clock->epoch >= 0);
    const struct schedule_ops *ops = (const struct schedule_ops *)(const void *)chosen->entry;

    return ops->rates(chosen->options, clock, base);
}

bool schedule_spans_run(const struct choice *chosen)
{
    CHECK(chosen->entry != NULL);
    return ((const struct schedule_ops *)(const void *)chosen->entry)->spans_run;
}

/* Momentum that is cycled is above 0 in some of any ten steps. */
bool schedule_brings_momentum(const struct choice *chosen)
{
    enum { STEPS = 10 };
    bool found = false;

    for (int64_t step = 0; step < STEPS; step++) {
        const struct schedule_clock clock = {
            .step = step, .steps_total = STEPS, .epoch = step, .epochs_total = STEPS};

        found = found || schedule_rates(chosen, &clock, (struct optim_rates){.lr = 1}).momentum > 0;
    }
    return found;
}

struct schedule_ticks schedule_ticks(const struct schedule_clock *clock, enum schedule_every every)
{
    struct schedule_ticks t = {.now = clock->step, .total = clock->steps_total};

    if (every == SCHEDULE_EVERY_EPOCH)
        t = (struct schedule_ticks){.now = clock->epoch, .total = clock->epochs_total};
    if (t.total < 1)
        t.total = 1;
    if (t.now >= t.total)
        t.now = t.total - 1;
    return t;
}

double schedule_share(struct schedule_ticks ticks)
{
    return ticks.total > 1 ? (double)ticks.now / (double)(ticks.total - 1) : 1;
}
