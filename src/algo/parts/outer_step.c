/*
 * outer_step.c - the step of a second optimiser along the displacement of a period.
 *
 *     D      =   shared - mean
 *     moved  =   the optimiser's step from `shared` with D as the gradient
 *     shared <-  moved + (mean - (shared - D))
 *
 * The last bracket is zero but for rounding: D is a float, and shared - D is not quite the mean. It
 * gives back what D has lost. Floats have it exactly, because it is the rounding error of one
 * subtraction, or the difference of two neighbours. So with a learning rate of 1 and no momentum,
 * where `moved` is shared - D, `shared` becomes the mean to the bit, as without an outer optimiser.
 * (A mean of minus zero becomes zero.) The optimiser itself sees the true `shared`, so that weight
 * decay and norms of the weights mean what they say.
 */
#include "algo/parts/outer_step.h"

enum status outer_step_check(const struct choice *outer, const char *key)
{
    const struct optim_ops *ops = (const struct optim_ops *)(const void *)outer->entry;

    if (ops->update != NULL)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "%s.name: %s evaluates a batch several times, but an outer step has one "
                "displacement; choose another optimizer",
                key, outer->entry->name);
}

static struct optim_rates rates_of(const struct worker *w, const struct choice *schedule)
{
    const struct optim *o = w->outer;
    const struct optim_rates base = {
        .lr = o->ops->lr(o->options),
        .momentum = o->ops->momentum == NULL ? -1 : o->ops->momentum(o->options),
    };

    return schedule_rates(schedule, &w->clock, base);
}

void outer_step(struct worker *w, float *shared, const struct choice *schedule)
{
    const int64_t n = w->outer->n;
    float *displacement = scratch_take(&w->scratch);

    for (int64_t i = 0; i < n; i++) {
        displacement[i] = shared[i] - w->state[i];
        w->state[i] -= shared[i] - displacement[i]; /* what the displacement has lost */
    }
    worker_apply(w, w->outer, shared, displacement, rates_of(w, schedule));
    for (int64_t i = 0; i < n; i++)
        w->state[i] = shared[i] = shared[i] + w->state[i];
    scratch_give(&w->scratch, displacement);
}
