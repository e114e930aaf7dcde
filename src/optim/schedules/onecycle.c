/*
 * onecycle.c - one cycle over the run's steps: up to the peak, then far down; momentum opposite.
 *
 * With T steps, warm-up ends at step w = warmup T - 1 (not a whole number, as in PyTorch):
 *
 *     0 .. w:    lr from peak/start_factor to peak,                     momentum from max to min
 *     w .. T-1:  lr from peak to peak/start_factor/final_factor,        momentum from min to max
 *
 * each along half a cosine.
 *
 * Smith, Topin: "Super-convergence", 2018; details are PyTorch's OneCycleLR.
 */
#include "base/portable_math.h"
#include "optim/schedule_list.h"

struct onecycle_opts {
    double peak, start_factor, final_factor, warmup;
    double momentum_min, momentum_max;
    bool cycle_momentum;
};

static const struct field onecycle_fields[] = {
    FIELD_REAL(struct onecycle_opts, peak, 0, 0, 1e6,
               "highest learning rate; 0: the optimiser's own"),
    FIELD_REAL(struct onecycle_opts, start_factor, 25, 1e-6, 1e12, "peak / first learning rate"),
    FIELD_REAL(struct onecycle_opts, final_factor, 1e4, 1e-6, 1e12, "first / last learning rate"),
    FIELD_REAL(struct onecycle_opts, warmup, 0.3, 0, 1,
               "fraction of the steps in which the rate rises"),
    FIELD_REAL(struct onecycle_opts, momentum_min, 0.85, 0, 1, "momentum (or beta1) at the peak"),
    FIELD_REAL(struct onecycle_opts, momentum_max, 0.95, 0, 1, "momentum (or beta1) at both ends"),
    FIELD_BOOL(struct onecycle_opts, cycle_momentum, true, "whether momentum is cycled too"),
    FIELD_LAST,
};

/* From `from` to `to` along half a cosine; share in [0, 1]. */
static double along_cosine(double from, double to, double share)
{
    return to + (from - to) / 2 * (1 + portable_cos_turn(0.5 * share));
}

static struct optim_rates onecycle_rates(const void *options, const struct schedule_clock *clock,
                                         struct optim_rates base)
{
    const struct onecycle_opts *opts = options;
    const double peak = opts->peak > 0 ? opts->peak : base.lr;
    const double start = peak / opts->start_factor, finish = start / opts->final_factor;
    const struct schedule_ticks t = schedule_ticks(clock, SCHEDULE_EVERY_STEP);
    const double now = (double)t.now, last = (double)(t.total - 1);
    const double warm = opts->warmup * (double)t.total - 1;
    double momentum;

    if (now <= warm) {
        const double share = warm > 0 ? now / warm : 1;
        base.lr = along_cosine(start, peak, share);
        momentum = along_cosine(opts->momentum_max, opts->momentum_min, share);
    } else {
        const double share = (now - warm) / (last - warm);
        base.lr = along_cosine(peak, finish, share);
        momentum = along_cosine(opts->momentum_min, opts->momentum_max, share);
    }
    if (opts->cycle_momentum)
        base.momentum = momentum;
    return base;
}

const struct schedule_ops onecycle_schedule = {
    .entry = {.name = "onecycle",
              .summary = "warm up to a peak, then far down; momentum the other way (per step)",
              .fields = onecycle_fields,
              .options_size = sizeof(struct onecycle_opts)},
    .rates = onecycle_rates,
    .spans_run = true,
};
