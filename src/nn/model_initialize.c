/*
 * model_initialize.c - the initial values of a model, and whole vectors to and from canonical
 * order.
 *
 * A value is a function of the seed and of its canonical index in the whole vector, so it does not
 * depend on how kernels want their weights to lie.
 */
#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "nn/model.h"

static float initial_value(const struct tensor *t, const struct rng *r, int64_t i)
{
    const uint64_t index = (uint64_t)(t->offset + i);

    switch (t->init) {
    case INIT_ZERO:
        return 0.0F;
    case INIT_ONE:
        return 1.0F;
    case INIT_UNIFORM:
        return (float)(t->bound * (2.0 * rng_uniform(r, index, 0) - 1.0));
    case INIT_NORMAL:
        return (float)(t->bound * rng_normal(r, index, 0));
    }
    BUG("tensor_init out of range");
}

void model_initialize(const struct model *m, float *state, uint64_t seed)
{
    const struct rng r = rng_make(seed, RNG_INIT, 0);
    float *canonical = MEM_NEW_N(float, m->state_count);

    for (int i = 0; i < m->tensor_count; i++) {
        const struct tensor *t = &m->tensors[i];
        for (int64_t k = 0; k < t->count; k++)
            canonical[t->offset + k] = initial_value(t, &r, k);
    }
    model_from_canonical(m, state, canonical, m->state_count);
    mem_free(canonical);
}

void model_to_canonical(const struct model *m, float *canonical, const float *stored, int64_t count)
{
    const struct tensor_layout layout = model_layout(m);

    tensor_layout_to_canonical(&layout, canonical, stored, count);
}

void model_from_canonical(const struct model *m, float *stored, const float *canonical,
                          int64_t count)
{
    const struct tensor_layout layout = model_layout(m);

    tensor_layout_from_canonical(&layout, stored, canonical, count);
}
