/*
 * avgpool.c - the mean of each window (the border counts as zeros), and the mean of the whole image
 * per channel. Not here: windows and the passes over them (pool.c).
 */
#include <string.h>

#include "nn/layer_options.h"
#include "nn/layers/pool.h"

static enum status global_plan(struct layer *l)
{
    if (l->in[0].is_flat)
        return layer_fail_shape(l, "needs an image (channels x height x width), gets", l->in[0]);
    l->out = (struct shape){.height = 1, .width = 1, .channels = l->in[0].channels};
    l->scratch_per_thread = 2 * l->out.channels; /* sums in double */
    return STATUS_OK;
}

static int64_t pixels_of(const struct layer *l)
{
    return l->in[0].height * l->in[0].width;
}

static void global_forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t channels = p->layer->out.channels, pixels = pixels_of(p->layer);
    double *sums = (double *)(void *)layer_scratch(p, thread);

    for (int64_t i = begin; i < end; i++) {
        memset(sums, 0, (size_t)channels * sizeof *sums);
        p->kernel->column_sums(sums, p->in[0] + i * pixels * channels, pixels, channels);
        for (int64_t c = 0; c < channels; c++)
            p->out[i * channels + c] = (float)(sums[c] / (double)pixels);
    }
}

static void global_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, global_forward_samples, p);
}

static void global_backward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const int64_t channels = p->layer->out.channels, pixels = pixels_of(p->layer);
    const size_t row = (size_t)channels * sizeof(float);

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        float *din = p->din[0] + i * pixels * channels;
        memcpy(din, p->dout + i * channels, row);
        p->kernel->scale(din, 1.0F / (float)pixels, channels);
        for (int64_t k = 1; k < pixels; k++)
            memcpy(din + k * channels, din, row);
    }
}

static void global_backward(const struct layer_pass *p)
{
    layer_split(p, p->batch, global_backward_samples, p);
}

const struct layer_ops avgpool_layer = {
    .entry = {.name = "avgpool",
              .summary = "mean of each window",
              .fields = pool_fields,
              .options_size = sizeof(struct pool_options)},
    .input_count = 1,
    .plan = pool_plan,
    .forward = pool_forward,
    .backward = pool_backward,
};

const struct layer_ops global_avgpool_layer = {
    .entry = {.name = "global_avgpool", .summary = "mean of each channel over the whole image"},
    .input_count = 1,
    .plan = global_plan,
    .forward = global_forward,
    .backward = global_backward,
};
