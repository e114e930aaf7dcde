/*
 * exponential.c - a factor per epoch.
 *
 *     lr_e = lr_0 gamma^e
 */
#include "base/portable_math.h"
#include "optim/schedule_list.h"

struct exponential_opts {
    double gamma;
};

static const struct field exponential_fields[] = {
    FIELD_REAL(struct exponential_opts, gamma, 0.9, 0, 10, "factor per epoch"),
    FIELD_LAST,
};

static struct optim_rates exponential_rates(const void *options, const struct schedule_clock *clock,
                                            struct optim_rates base)
{
    const struct exponential_opts *opts = options;

    base.lr *= portable_power(opts->gamma, clock->epoch);
    return base;
}

const struct schedule_ops exponential_schedule = {
    .entry = {.name = "exponential",
              .summary = "times `gamma` after every epoch",
              .fields = exponential_fields,
              .options_size = sizeof(struct exponential_opts)},
    .rates = exponential_rates,
};
