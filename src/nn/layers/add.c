/*
 * add.c - the sum of two inputs of the same shape: the end of a residual block.
 *
 * A list of layers has no way to name two inputs; the plan makes this layer from a residual block.
 */
#include <string.h>

#include "nn/layers/support.h"

static enum status add_plan(struct layer *l)
{
    const struct shape a = l->in[0], b = l->in[1];
    struct text ta = {0}, tb = {0};
    enum status s = STATUS_OK;

    l->out = a;
    if (a.height != b.height || a.width != b.width || a.channels != b.channels ||
        a.is_flat != b.is_flat) {
        shape_text(a, &ta);
        shape_text(b, &tb);
        s = layer_fail(l, "the body ends with %s, the shortcut with %s; they must be the same",
                       text_get(&ta), text_get(&tb));
    }
    text_release(&ta);
    text_release(&tb);
    return s;
}

static void add_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t n = shape_size(p->layer->out);

    (void)thread;
    p->kernel->add(p->out + begin * n, p->in[0] + begin * n, p->in[1] + begin * n,
                   (end - begin) * n);
}

static void add_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, add_samples, p);
}

static void copy_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t n = shape_size(p->layer->out);

    (void)thread;
    for (int i = 0; i < 2; i++)
        if (p->din[i] != NULL && p->din[i] != p->dout)
            memcpy(p->din[i] + begin * n, p->dout + begin * n,
                   (size_t)((end - begin) * n) * sizeof(float));
}

static void add_backward(const struct layer_pass *p)
{
    layer_split(p, p->batch, copy_samples, p);
}

const struct layer_ops add_layer = {
    .entry = {.name = "add", .summary = "sum of the body and the shortcut of a residual block"},
    .flags = LAYER_IN_PLACE,
    .input_count = 2,
    .plan = add_plan,
    .forward = add_forward,
    .backward = add_backward,
};
