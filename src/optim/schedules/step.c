/*
 * step.c - a factor every so many epochs.
 *
 *     lr_e = lr_0 gamma^floor(e / every_epochs)
 */
#include "base/portable_math.h"
#include "optim/schedule_list.h"

struct step_opts {
    int64_t every_epochs;
    double gamma;
};

static const struct field step_fields[] = {
    FIELD_INT(struct step_opts, every_epochs, 30, 1, 1e9, "epochs between two changes"),
    FIELD_REAL(struct step_opts, gamma, 0.1, 0, 10, "factor of a change"),
    FIELD_LAST,
};

static struct optim_rates step_rates(const void *options, const struct schedule_clock *clock,
                                     struct optim_rates base)
{
    const struct step_opts *opts = options;
    const int64_t changes = clock->epoch / opts->every_epochs;

    base.lr *= portable_power(opts->gamma, changes);
    return base;
}

const struct schedule_ops step_schedule = {
    .entry = {.name = "step",
              .summary = "times `gamma` after every `every_epochs` epochs",
              .fields = step_fields,
              .options_size = sizeof(struct step_opts)},
    .rates = step_rates,
};
