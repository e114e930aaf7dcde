/*
 * supervised_baseline.c - what the best answer achieves that depends on no input.
 */
#include <math.h>

#include "base/mem.h"
#include "problem/supervised_plan.h"

/* Samples of the data set that are evaluated together. */
struct part {
    const struct samples *of;
    const int64_t *indices; /* NULL: all of them */
    int64_t count;
};

static int64_t index_in(const struct part *p, int64_t i)
{
    return p->indices == NULL ? i : p->indices[i];
}

/* The share of the largest class. */
static double chance_of(const struct dataset *d, const struct part *p)
{
    int64_t most = 0;

    if (d->classes == 0 || p->count == 0)
        return (double)NAN;
    int64_t *counts = MEM_NEW_N(int64_t, d->classes);
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t count = ++counts[p->of->labels[index_in(p, i)]];
        most = count > most ? count : most;
    }
    mem_free(counts);
    return (double)most / (double)p->count;
}

/* 0: not known. */
static double base_loss_of(const struct supervised_plan *plan, const struct part *p)
{
    const struct dataset *d = plan->dataset;

    if (d->classes > 0 || d->target_size != 1 || p->count == 0)
        return 0;
    float *targets = MEM_NEW_N(float, p->count);
    for (int64_t i = 0; i < p->count; i++)
        targets[i] = p->of->targets[index_in(p, i)];
    const double loss = loss_of_best_constant(plan->loss, targets, p->count);
    mem_free(targets);
    return loss;
}

void supervised_set_baseline(struct supervised_plan *p)
{
    const struct dataset *d = p->dataset;
    const struct part test = {.of = &d->test, .count = d->test.count};
    const struct part validation = {
        .of = &d->train,
        .indices = p->split.validation,
        .count = p->split.validation_count,
    };

    p->base.chance = chance_of(d, &test);
    p->base.base_loss = base_loss_of(p, &test);
    p->base.validation_chance = chance_of(d, &validation);
    p->base.validation_base_loss = base_loss_of(p, &validation);
}
