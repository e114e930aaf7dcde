/*
 * linear.c - in equal steps from the optimiser's rate to `finish`, which the last tick has.
 *
 *     lr_k = lr_0 + (finish - lr_0) k / (K - 1)
 */
#include "optim/schedule_list.h"

struct linear_opts {
    double finish;
    int every; /* enum schedule_every */
};

static const struct field linear_fields[] = {
    FIELD_REAL(struct linear_opts, finish, 0, 0, 1e6, "learning rate at the end of the run"),
    FIELD_CHOICE(struct linear_opts, every, "step", schedule_every_names, "when it changes"),
    FIELD_LAST,
};

static struct optim_rates linear_rates(const void *options, const struct schedule_clock *clock,
                                       struct optim_rates base)
{
    const struct linear_opts *opts = options;
    const double share = schedule_share(schedule_ticks(clock, (enum schedule_every)opts->every));

    base.lr += (opts->finish - base.lr) * share;
    return base;
}

const struct schedule_ops linear_schedule = {
    .entry = {.name = "linear",
              .summary = "in equal steps to `finish` over the whole run",
              .fields = linear_fields,
              .options_size = sizeof(struct linear_opts)},
    .rates = linear_rates,
    .spans_run = true,
};
