/*
 * geometric.c - by equal factors from the optimiser's rate to `finish`, which the last tick has.
 *
 *     lr_k = lr_0 (finish / lr_0)^(k / (K - 1))
 */
#include "base/portable_math.h"
#include "optim/schedule_list.h"

struct geometric_opts {
    double finish;
    int every; /* enum schedule_every */
};

static const struct field geometric_fields[] = {
    FIELD_REAL(struct geometric_opts, finish, 1e-4, 1e-30, 1e6,
               "learning rate at the end of the run"),
    FIELD_CHOICE(struct geometric_opts, every, "step", schedule_every_names, "when it changes"),
    FIELD_LAST,
};

static struct optim_rates geometric_rates(const void *options, const struct schedule_clock *clock,
                                          struct optim_rates base)
{
    const struct geometric_opts *opts = options;
    const double share = schedule_share(schedule_ticks(clock, (enum schedule_every)opts->every));

    if (base.lr > 0) /* a rate of 0 has no factor to grow by, and stays */
        base.lr *= portable_pow(opts->finish / base.lr, share);
    return base;
}

const struct schedule_ops geometric_schedule = {
    .entry = {.name = "geometric",
              .summary = "by equal factors (log-spaced) to `finish` over the whole run",
              .fields = geometric_fields,
              .options_size = sizeof(struct geometric_opts)},
    .rates = geometric_rates,
    .spans_run = true,
};
