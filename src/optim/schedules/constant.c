/*
 * constant.c - the optimiser's own rates throughout.
 */
#include "optim/schedule_list.h"

static struct optim_rates constant_rates(const void *options, const struct schedule_clock *clock,
                                         struct optim_rates base)
{
    (void)options;
    (void)clock;
    return base;
}

const struct schedule_ops constant_schedule = {
    .entry = {.name = "constant", .summary = "the same learning rate throughout"},
    .rates = constant_rates,
};
