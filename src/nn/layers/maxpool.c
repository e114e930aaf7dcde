/*
 * maxpool.c - the maximum of each window; the border never wins.
 *
 * Not here: windows and the passes over them (pool.c).
 */
#include "nn/layer_options.h"
#include "nn/layers/pool.h"

static enum status maxpool_plan(struct layer *l)
{
    _Static_assert(sizeof(int32_t) == sizeof(float), "places are kept where floats would be");
    TRY(pool_plan(l));
    if (shape_size(l->in[0]) > INT32_MAX)
        return layer_fail_shape(l, "places are 32-bit; too large is", l->in[0]);
    l->saved_per_sample = shape_size(l->out);
    return STATUS_OK;
}

const struct layer_ops maxpool_layer = {
    .entry = {.name = "maxpool",
              .summary = "maximum of each window",
              .fields = pool_fields,
              .options_size = sizeof(struct pool_options)},
    .input_count = 1,
    .plan = maxpool_plan,
    .forward = pool_forward,
    .backward = pool_backward,
};
