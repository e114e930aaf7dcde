/*
 * conv2d.c - convolution with square kernels, stride and zero padding.
 *
 *     out[y][x][n] = b[n] + sum over (ky, kx, c) of
 *                    in[y s + ky - pad][x s + kx - pad][c] w[ky][kx][c][n]
 *
 * Here: the options, the shapes, the choice of a method, the gradient by the biases.
 * Not here: the methods (conv.h lists them).
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "nn/layer_options.h"
#include "nn/layers/conv.h"
#include "nn/layers/support.h"

#define METHOD_ENTRY(symbol) &symbol,
static const struct conv_method *const methods[] = {CONV_METHODS(METHOD_ENTRY)};

static const char *const conv2d_inits[] = {"default", "he_fan_out", NULL};

static const struct field conv2d_fields[] = {
    FIELD_INT(struct conv2d_options, out, 0, 0, 1e6, "output channels (required)"),
    FIELD_INT(struct conv2d_options, kernel, 0, 0, 1e4,
              "height and width of the kernel (required)"),
    FIELD_INT(struct conv2d_options, stride, 1, 1, 1e4, "pixels from one output to the next"),
    FIELD_INT(struct conv2d_options, pad, 0, 0, 1e4, "rows and columns of zeros on each side"),
    FIELD_BOOL(struct conv2d_options, bias, true, "add a bias to each output channel"),
    FIELD_CHOICE(struct conv2d_options, init, "default", conv2d_inits,
                 "initialization of the weights"),
    FIELD_LAST,
};

struct conv_geometry conv2d_geometry(const struct layer *l)
{
    const struct conv2d_options *o = l->options;

    return (struct conv_geometry){
        .channels = l->in[0].channels,
        .out_channels = o->out,
        .kernel = o->kernel,
        .stride = o->stride,
        .pad = o->pad,
        .height = l->in[0].height,
        .width = l->in[0].width,
        .out_height = l->out.height,
        .out_width = l->out.width,
        .positions = l->out.height * l->out.width,
        .image = shape_size(l->in[0]),
        .out_image = shape_size(l->out),
        .k = o->kernel * o->kernel * l->in[0].channels,
    };
}

static const struct conv_method *choose_method(const struct layer *l, const struct conv_geometry *g)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (methods[i]->applies(g) && (methods[i]->is_exact || !l->is_exact))
            return methods[i];
    BUG("no method for a convolution");
}

static enum status check_options(const struct layer *l)
{
    const struct conv2d_options *o = l->options;
    const struct shape in = l->in[0];
    struct text t = {0};
    enum status s;

    if (o->out < 1)
        return layer_fail(l, "missing out: the number of output channels, at least 1");
    if (o->kernel < 1)
        return layer_fail(l, "missing kernel: its height and width, at least 1");
    if (in.is_flat)
        return layer_fail_shape(l, "needs an image (channels x height x width), gets", in);
    if (in.height + 2 * o->pad >= o->kernel && in.width + 2 * o->pad >= o->kernel)
        return STATUS_OK;
    text_addf(&t, "kernel %lld ", (long long)o->kernel);
    if (o->pad > 0)
        text_addf(&t, "with pad %lld ", (long long)o->pad);
    text_add(&t, "does not fit");
    s = layer_fail_shape(l, text_get(&t), in);
    text_release(&t);
    return s;
}

static enum status conv2d_plan(struct layer *l)
{
    const struct conv2d_options *o = l->options;
    struct shape from = {.height = o->kernel, .width = o->kernel, .channels = l->in[0].channels};
    const struct conv_method *method;
    struct conv_geometry g;
    struct tensor *w;

    TRY(check_options(l));
    l->out = (struct shape){
        .height = (l->in[0].height + 2 * o->pad - o->kernel) / o->stride + 1,
        .width = (l->in[0].width + 2 * o->pad - o->kernel) / o->stride + 1,
        .channels = o->out,
    };
    w = layer_add_weights(l, from, o->out, o->bias);
    w->rank = 4;
    memcpy(w->dims, (int64_t[]){o->out, from.channels, o->kernel, o->kernel}, sizeof w->dims);
    if (o->init == CONV2D_INIT_HE_FAN_OUT) {
        w->init = INIT_NORMAL;
        w->bound = sqrt(2.0 / (double)(o->out * o->kernel * o->kernel));
    }
    g = conv2d_geometry(l);
    method = choose_method(l, &g);
    method->plan(l, &g);
    l->method = method;
    l->adds_input = method->adds_input;
    layer_plan_slices(l, g.out_channels, 1);
    l->flops = 2 * g.positions * g.k * g.out_channels;
    return STATUS_OK;
}

static const struct conv_method *method_of(const struct layer_pass *p)
{
    return p->layer->method;
}

static void conv2d_forward(const struct layer_pass *p)
{
    method_of(p)->forward(p);
}

static void bias_gradient(const struct layer_pass *p, const struct conv_geometry *g)
{
    double *sums = (double *)(void *)p->scratch_shared;
    const struct slice_sums s = {
        .sums = sums,
        .parts = sums + g->out_channels,
        .x = p->dout,
        .rows = g->positions,
        .channels = g->out_channels,
    };

    layer_sum_slices(p, &s);
    for (int64_t n = 0; n < g->out_channels; n++)
        p->gradients[1][n] = (float)sums[n];
}

static void conv2d_backward(const struct layer_pass *p)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);

    method_of(p)->back_weights(p);
    if (p->layer->tensor_count > 1 && !method_of(p)->sums_biases)
        bias_gradient(p, &g);
    if (p->din[0] != NULL)
        method_of(p)->back_data(p);
}

const struct layer_ops conv2d_layer = {
    .entry = {.name = "conv2d",
              .summary = "convolution over an image",
              .fields = conv2d_fields,
              .options_size = sizeof(struct conv2d_options)},
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = conv2d_plan,
    .forward = conv2d_forward,
    .backward = conv2d_backward,
};
