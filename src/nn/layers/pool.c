/*
 * pool.c - what maxpool and avgpool share (pool.h): the options, the geometry, and the passes over
 * windows. Backward of a maximum knows the place of each maximum; the first one wins.
 */
#include "nn/layers/pool.h"

#include "nn/layer_options.h"

const struct field pool_fields[] = {
    FIELD_INT(struct pool_options, kernel, 2, 1, 1e4, "height and width of the window"),
    FIELD_INT(struct pool_options, stride, 0, 0, 1e4,
              "pixels from one window to the next; 0: as kernel"),
    FIELD_INT(struct pool_options, pad, 0, 0, 1e4, "border on each side, at most half a window"),
    FIELD_LAST,
};

enum status pool_plan(struct layer *l)
{
    const struct pool_options *o = l->options;
    const int64_t stride = o->stride > 0 ? o->stride : o->kernel;
    const struct shape in = l->in[0];
    struct text t = {0};
    enum status s;

    if (in.is_flat)
        return layer_fail_shape(l, "needs an image (channels x height x width), gets", in);
    if (2 * o->pad > o->kernel)
        return layer_fail(l, "pad %lld is more than half of kernel %lld", (long long)o->pad,
                          (long long)o->kernel);
    if (in.height + 2 * o->pad < o->kernel || in.width + 2 * o->pad < o->kernel) {
        text_addf(&t, "kernel %lld does not fit", (long long)o->kernel);
        s = layer_fail_shape(l, text_get(&t), in);
        text_release(&t);
        return s;
    }
    l->out = (struct shape){
        .height = (in.height + 2 * o->pad - o->kernel) / stride + 1,
        .width = (in.width + 2 * o->pad - o->kernel) / stride + 1,
        .channels = in.channels,
    };
    return STATUS_OK;
}

static struct pool_shape pool_shape_of(const struct layer *l)
{
    const struct pool_options *o = l->options;

    return (struct pool_shape){
        .height = l->in[0].height,
        .width = l->in[0].width,
        .channels = l->in[0].channels,
        .out_height = l->out.height,
        .out_width = l->out.width,
        .kernel = o->kernel,
        .stride = o->stride > 0 ? o->stride : o->kernel,
        .pad = o->pad,
    };
}

static bool keeps_places(const struct layer *l)
{
    return l->saved_per_sample > 0;
}

/* The places of one sample's maxima. */
static int32_t *places_of(const struct layer_pass *p, int64_t sample)
{
    return (int32_t *)(void *)p->saved + sample * shape_size(p->layer->out);
}

static void forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct pool_shape s = pool_shape_of(p->layer);
    const int64_t in = shape_size(p->layer->in[0]), out = shape_size(p->layer->out);

    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (keeps_places(p->layer))
            p->kernel->max_pool(p->out + i * out, places_of(p, i), p->in[0] + i * in, &s);
        else
            p->kernel->avg_pool(p->out + i * out, p->in[0] + i * in, &s);
}

void pool_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, forward_samples, p);
}

static void backward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct pool_shape s = pool_shape_of(p->layer);
    const int64_t in = shape_size(p->layer->in[0]), out = shape_size(p->layer->out);

    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (keeps_places(p->layer))
            p->kernel->max_pool_back(p->din[0] + i * in, p->dout + i * out, places_of(p, i), &s);
        else
            p->kernel->avg_pool_back(p->din[0] + i * in, p->dout + i * out, &s);
}

void pool_backward(const struct layer_pass *p)
{
    layer_split(p, p->batch, backward_samples, p);
}
