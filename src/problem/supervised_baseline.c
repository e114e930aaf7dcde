/*
 * supervised_baseline.c - what the best answer achieves that depends on no input.
 */
#include <math.h>

#include "base/mem.h"
#include "problem/supervised_plan.h"

/* The share of the largest class of the test set. */
static double chance_of(const struct dataset *d)
{
    int64_t most = 0;

    if (d->classes == 0 || d->test.count == 0)
        return (double)NAN;
    int64_t *counts = MEM_NEW_N(int64_t, d->classes);
    for (int64_t i = 0; i < d->test.count; i++) {
        const int64_t count = ++counts[d->test.labels[i]];
        most = count > most ? count : most;
    }
    mem_free(counts);
    return (double)most / (double)d->test.count;
}

void supervised_set_baseline(struct supervised_plan *p)
{
    const struct dataset *d = p->dataset;

    p->base.chance = chance_of(d);
    if (d->classes == 0 && d->target_size == 1)
        p->base.base_loss = loss_of_best_constant(p->loss, d->test.targets, d->test.count);
}
