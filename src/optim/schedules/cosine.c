/*
 * cosine.c - half a cosine from the optimiser's rate down to `minimum` over the whole run.
 *
 *     lr_k = minimum + (lr_0 - minimum) (1 + cos(pi k / K)) / 2
 *
 * K is the number of ticks, as PyTorch's T_max: the minimum would be reached one tick after the
 * last one.
 *
 * Loshchilov, Hutter: "SGDR: stochastic gradient descent with warm restarts", 2017, eq. 5.
 */
#include "base/portable_math.h"
#include "optim/schedule_list.h"

struct cosine_opts {
    double minimum;
    int every; /* enum schedule_every */
};

static const struct field cosine_fields[] = {
    FIELD_REAL(struct cosine_opts, minimum, 0, 0, 1e6, "learning rate at the end"),
    FIELD_CHOICE(struct cosine_opts, every, "step", schedule_every_names, "when it changes"),
    FIELD_LAST,
};

static struct optim_rates cosine_rates(const void *options, const struct schedule_clock *clock,
                                       struct optim_rates base)
{
    const struct cosine_opts *opts = options;
    const struct schedule_ticks t = schedule_ticks(clock, (enum schedule_every)opts->every);
    const double turn = 0.5 * (double)t.now / (double)t.total;

    base.lr = opts->minimum + (base.lr - opts->minimum) * (1 + portable_cos_turn(turn)) / 2;
    return base;
}

const struct schedule_ops cosine_schedule = {
    .entry = {.name = "cosine",
              .summary = "half a cosine down to `minimum` over the whole run",
              .fields = cosine_fields,
              .options_size = sizeof(struct cosine_opts)},
    .rates = cosine_rates,
    .spans_run = true,
};
