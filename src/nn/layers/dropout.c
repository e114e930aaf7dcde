/*
 * dropout.c - sets units to 0 with probability p and multiplies the others by 1/(1-p); identity in
 * evaluation.
 *
 * A unit's fate is a function of (seed, epoch, number of the sample, layer, unit): it depends
 * neither on the batch that the sample is in nor on the threads, and a repeated pass repeats it.
 */
#include <math.h>
#include <string.h>

#include "nn/layer_options.h"
#include "nn/layers/support.h"

enum {
    WORDS = 4, /* of one draw */
    DRAWS_PER_LAYER = 1 << 20,
    LAYERS_MAX = 1 << 12,
};

static const struct field dropout_fields[] = {
    FIELD_REAL(struct dropout_options, p, 0.5, 0.0, 1.0, "probability that a unit is dropped"),
    FIELD_LAST,
};

static enum status dropout_plan(struct layer *l)
{
    const int64_t units = shape_size(l->in[0]);

    if (units > (int64_t)DRAWS_PER_LAYER * WORDS || l->index >= LAYERS_MAX)
        return layer_fail_shape(l, "has random numbers for 4194304 units in 4096 layers, gets",
                                l->in[0]);
    l->out = l->in[0];
    l->saved_per_sample = units;
    return STATUS_OK;
}

/* A word below p * 2^32 drops its unit: those are the integers below that, rounded up. */
static struct dropout_stream stream_of(const struct layer_pass *p)
{
    const struct dropout_options *o = p->layer->options;
    const struct rng r = rng_make(p->seed, RNG_DROPOUT, (uint32_t)p->epoch);
    const double dropped = ceil(o->p * 4294967296.0);
    const bool drops_all = dropped >= 4294967296.0;

    return (struct dropout_stream){
        .key = {r.key[0], r.key[1]},
        .stream = r.stream,
        .draw = (uint32_t)p->layer->index * DRAWS_PER_LAYER,
        .dropped = drops_all ? 0 : (uint32_t)dropped,
        .drops_all = drops_all,
        .kept = o->p < 1.0 ? (float)(1.0 / (1.0 - o->p)) : 0.0F,
    };
}

static void forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t n = shape_size(p->layer->out);
    struct dropout_stream s = stream_of(p);

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        s.index = (uint64_t)(p->samples != NULL ? p->samples[i] : i);
        p->kernel->dropout(p->out + i * n, p->saved + i * n, p->in[0] + i * n, &s, n);
    }
}

static void dropout_forward(const struct layer_pass *p)
{
    const int64_t all = p->batch * shape_size(p->layer->out);

    if (p->mode == PASS_TRAIN)
        layer_split(p, p->batch, forward_samples, p);
    else if (p->out != p->in[0])
        memcpy(p->out, p->in[0], (size_t)all * sizeof *p->out);
}

static void backward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t n = shape_size(p->layer->out);

    (void)thread;
    p->kernel->multiply(p->din[0] + begin * n, p->dout + begin * n, p->saved + begin * n,
                        (end - begin) * n);
}

static void dropout_backward(const struct layer_pass *p)
{
    layer_split(p, p->batch, backward_samples, p);
}

const struct layer_ops dropout_layer = {
    .entry = {.name = "dropout",
              .summary = "drops units at random while training",
              .fields = dropout_fields,
              .options_size = sizeof(struct dropout_options)},
    .flags = LAYER_IN_PLACE,
    .input_count = 1,
    .plan = dropout_plan,
    .forward = dropout_forward,
    .backward = dropout_backward,
};
