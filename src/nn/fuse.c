/*
 * fuse.c - which layers are joined: a list of rules, tried at every layer in order.
 *
 * Here: finding chains whose inner values have one reader, and what becomes of their layers.
 * Not here: how a fused layer computes (layers/convpool.c and others), and where it pays, which
 * each of them says by shape alone.
 */
#include "nn/fuse.h"

#include "base/check.h"
#include "nn/layer_options.h"
#include "nn/layers/fused.h"
#include "nn/list.h"
#include "nn/model_memory.h"

/* --- what rules are made of --- */

/* The only layer that reads the value of layer i; -1: none or several, or it is the output. */
static int only_reader(const struct model *m, int i)
{
    int reader = -1;

    for (int r = i + 1; r < m->layer_count; r++)
        for (int s = 0; s < m->layers[r].input_count; s++) {
            if (m->layers[r].inputs[s] != i)
                continue;
            if (reader >= 0)
                return -1;
            reader = r;
        }
    return reader;
}

/* The only reader of layer i when it is of this kind, else -1. */
static int next_of_kind(const struct model *m, int i, const struct layer_ops *kind)
{
    const int next = only_reader(m, i);

    return next >= 0 && m->layers[next].ops == kind ? next : -1;
}

static void do_nothing(const struct layer_pass *p)
{
    (void)p;
}

/* What an absorbed layer becomes: model_pass.c runs neither function. */
static const struct layer_ops absorbed_layer = {
    .entry = {.name = "absorbed", .summary = "done by the layer before"},
    .flags = LAYER_IDENTITY,
    .input_count = 1,
    .forward = do_nothing,
    .backward = do_nothing,
};

/* Layer i passes on a value of this shape: somebody before it does its work. */
static void absorb(struct model *m, int i, struct shape value)
{
    struct layer *l = &m->layers[i];

    CHECK(l->tensor_count == 0 && l->tracked_count == 0);
    l->ops = &absorbed_layer;
    l->in[0] = l->out = value;
    l->saved_per_sample = l->saved_fixed = 0;
    l->scratch_per_thread = l->scratch_shared_per_sample = l->scratch_shared_fixed = 0;
}

/* Layer i computes as `fused` says, whose plan replaces shape, room and scratch, not tensors. */
static void become_fused(struct model *m, int i, const struct layer_ops *fused)
{
    struct layer *l = &m->layers[i];
    enum status s;

    l->ops = fused;
    s = fused->plan(l);
    CHECK(s == STATUS_OK);
    l->scratch_per_thread = model_memory_round(l->scratch_per_thread);
}

/* --- the rules: each joins what begins at layer `first`, if anything does --- */

/*
 * A convolution, then ReLU and max pooling in any order and number, as long as one pools: the
 * maximum of maxima is that over the product of the sizes, and ReLU, being monotone, may come last.
 */
static int next_to_pool(const struct model *m, int i, struct fusion *f)
{
    const int relu = next_of_kind(m, i, &relu_layer), pool = next_of_kind(m, i, &maxpool_layer);

    if (relu >= 0) {
        f->relu = true;
        return relu;
    }
    if (pool >= 0) {
        const struct pool_options *o = m->layers[pool].options;
        if (o->pad > 0 || (o->stride > 0 && o->stride != o->kernel))
            return -1;
        f->pool *= o->kernel;
    }
    return pool;
}

static void join_convolution_and_pool(struct model *m, int first)
{
    struct layer *l = &m->layers[first];
    struct fusion f = {.pool = 1};

    if (l->ops != &conv2d_layer)
        return;
    for (int i = first; i >= 0;)
        i = next_to_pool(m, i, &f);
    if (f.pool == 1 || !convpool_pays(l, &f))
        return;
    l->fusion = f;
    become_fused(m, first, &convpool_layer);
    f = (struct fusion){.pool = 1};
    for (int i = next_to_pool(m, first, &f), next; i >= 0; i = next) {
        next = next_to_pool(m, i, &f);
        absorb(m, i, l->out);
    }
}

/* What is added to the value of layer i by layer `add`. */
static int other_input(const struct layer *add, int i)
{
    return add->inputs[0] == i ? add->inputs[1] : add->inputs[0];
}

/*
 * BatchNorm, the sum with a value that is there already, ReLU; the first and at least one of the
 * others. Where a residual block's shortcut has layers, it is the shortcut's BatchNorm that adds.
 */
static void join_norm_and_sum(struct model *m, int first)
{
    struct layer *l = &m->layers[first];
    int add, relu;

    if (l->ops != &batchnorm_layer)
        return;
    add = next_of_kind(m, first, &add_layer);
    if (add >= 0 && other_input(&m->layers[add], first) > first)
        return;
    relu = next_of_kind(m, add >= 0 ? add : first, &relu_layer);
    l->fusion.relu = relu >= 0;
    if (add >= 0) {
        struct layer *sum = &m->layers[add];
        l->input_count = 2;
        l->inputs[1] = other_input(sum, first);
        l->in[1] = l->in[0];
        become_fused(m, first, relu >= 0 ? &batchnorm_add_relu_layer : &batchnorm_add_layer);
        sum->input_count = 1;
        sum->inputs[0] = first;
        absorb(m, add, l->out);
    } else if (relu >= 0)
        become_fused(m, first, &batchnorm_relu_layer);
    if (relu >= 0)
        absorb(m, relu, l->out);
}

/* The sine that reads layer i alone, if the dense layer i had better do it; else -1. */
static int sine_behind(const struct model *m, int i)
{
    const int sine = next_of_kind(m, i, &sine_layer);

    if (sine < 0 || !dense_sine_pays(&m->layers[i]))
        return -1;
    const struct sine_options *o = m->layers[sine].options;

    return (float)o->scale != 0.0F ? sine : -1;
}

/* Dense, sine, ReLU; the first and at least one of the others. */
static void join_dense_and_activation(struct model *m, int first)
{
    struct layer *l = &m->layers[first];
    int sine, relu;

    if (l->ops != &dense_layer)
        return;
    sine = sine_behind(m, first);
    relu = next_of_kind(m, sine >= 0 ? sine : first, &relu_layer);
    if (sine < 0 && relu < 0)
        return;
    l->fusion.relu = relu >= 0;
    if (sine >= 0)
        l->fusion.sine = (float)((const struct sine_options *)m->layers[sine].options)->scale;
    become_fused(m, first, relu >= 0 ? &dense_relu_layer : &dense_sine_layer);
    if (sine >= 0)
        absorb(m, sine, l->out);
    if (relu >= 0)
        absorb(m, relu, l->out);
}

static const struct {
    void (*join)(struct model *m, int first);
} rules[] = {
    {join_convolution_and_pool},
    {join_norm_and_sum},
    {join_dense_and_activation},
};

void fuse_layers(struct model *m)
{
    if (m->options.no_fusion)
        return;
    for (int i = 0; i < m->layer_count; i++)
        for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
            rules[r].join(m, i);
}
