/*
 * optim.c - what all optimisers share: their memory, the checked calls, gradient clipping.
 */
#include "optim/optim.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"

void optim_init(struct optim *o, const struct choice *chosen, int64_t n)
{
    CHECK(chosen->entry != NULL && n > 0);
    const struct optim_ops *ops = (const struct optim_ops *)(const void *)chosen->entry;
    CHECK((ops->update == NULL) != (ops->minimize == NULL));

    *o = (struct optim){
        .ops = ops,
        .options = chosen->options,
        .kernel = kernel_get(),
        .n = n,
        .vector_count = ops->vector_count(chosen->options),
        .scratch_count = ops->scratch_count == NULL ? 0 : ops->scratch_count(chosen->options),
        .number_count = ops->number_count(chosen->options),
    };
    CHECK(o->number_count <= OPTIM_NUMBERS_MAX);
    o->vectors = MEM_NEW_N(float *, o->vector_count);
    o->scratch = MEM_NEW_N(float *, o->scratch_count);
    for (int i = 0; i < o->scratch_count; i++)
        o->scratch[i] = MEM_NEW_N(float, n);
    o->numbers = MEM_NEW_N(double, o->number_count);
}

void optim_release(struct optim *o)
{
    for (int i = 0; i < o->vector_count; i++)
        mem_free(o->vectors[i]);
    for (int i = 0; i < o->scratch_count; i++)
        mem_free(o->scratch[i]);
    mem_free(o->vectors);
    mem_free(o->scratch);
    mem_free(o->numbers);
    *o = (struct optim){0};
}

float *optim_vector(struct optim *o, int i)
{
    CHECK(i >= 0 && i < o->vector_count);
    if (o->vectors[i] == NULL)
        o->vectors[i] = MEM_NEW_N(float, o->n);
    return o->vectors[i];
}

void optim_reset(struct optim *o)
{
    for (int i = 0; i < o->vector_count; i++)
        if (o->vectors[i] != NULL)
            memset(o->vectors[i], 0, (size_t)o->n * sizeof **o->vectors);
    for (int i = 0; i < o->number_count; i++)
        o->numbers[i] = 0;
}

void optim_update(struct optim *o, float *x, const float *g, struct optim_rates rates)
{
    CHECK(o->ops->update != NULL);
    o->ops->update(o, x, g, rates);
}

enum status optim_minimize(struct optim *o, float *x, float *g, const struct objective *f,
                           struct optim_rates rates, double *first_loss)
{
    CHECK(o->ops->minimize != NULL);
    return o->ops->minimize(o, x, g, f, rates, first_loss);
}

double optim_clip(const struct kernel *k, float *g, int64_t n, double limit)
{
    const double norm = sqrt(k->dot(g, g, n));

    if (limit > 0 && norm + 1e-6 > limit)
        k->scale(g, (float)(limit / (norm + 1e-6)), n);
    return norm;
}
