/*
 * optim.c - what all optimisers share: their memory, the checked calls, gradient clipping.
 */
#include "optim/optim.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "optim/parts.h"

const char *const optim_tensors_names[] = {"all", "weights", NULL};

void optim_init(struct optim *o, const struct choice *chosen, const struct tensor_layout *layout)
{
    const int64_t n = layout->param_count;

    CHECK(chosen->entry != NULL && n > 0);
    const struct optim_ops *ops = (const struct optim_ops *)(const void *)chosen->entry;
    CHECK((ops->update == NULL) != (ops->minimize == NULL));

    *o = (struct optim){
        .ops = ops,
        .options = chosen->options,
        .kernel = kernel_get(),
        .layout = *layout,
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
    o->tensor_scales = MEM_NEW_N(float, parts_tensor_count(o));
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
    mem_free(o->tensor_scales);
    *o = (struct optim){0};
}

float *optim_vector(struct optim *o, int i)
{
    CHECK(i >= 0 && i < o->vector_count);
    if (o->vectors[i] == NULL)
        o->vectors[i] = MEM_NEW_N(float, o->n);
    return o->vectors[i];
}

bool optim_is_sound(const struct optim *o)
{
    for (int i = 0; i < o->number_count; i++)
        if (!isfinite(o->numbers[i]))
            return false;
    return o->ops->is_sound == NULL || o->ops->is_sound(o);
}

void optim_reset(struct optim *o)
{
    for (int i = 0; i < o->vector_count; i++)
        if (o->vectors[i] != NULL)
            memset(o->vectors[i], 0, (size_t)o->n * sizeof **o->vectors);
    for (int i = 0; i < o->number_count; i++)
        o->numbers[i] = 0;
}

void optim_begin_step(struct optim *o, struct optim_rates rates)
{
    o->rates = rates;
    o->is_fresh = o->vector_count > 0 && o->vectors[0] == NULL;
    if (o->ops->begin_step != NULL)
        o->ops->begin_step(o);
}

void optim_update_range(struct optim *o, struct team *team, float *x, const float *g,
                        struct optim_range range)
{
    CHECK(o->ops->update != NULL);
    CHECK(range.begin >= 0 && range.count >= 0 && range.begin + range.count <= o->n);
    o->ops->update(o, team, x, g, range);
}

void optim_update(struct optim *o, struct team *team, float *x, const float *g,
                  struct optim_rates rates)
{
    optim_begin_step(o, rates);
    optim_update_range(o, team, x, g, (struct optim_range){.count = o->n});
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
