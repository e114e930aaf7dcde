/*
 * conv2d.c - convolution with square kernels, stride and zero padding.
 *
 *     out[y][x][n] = b[n] + sum over (ky, kx, c) of in[y s + ky - pad][x s + kx - pad][c]
 * w[ky][kx][c][n]
 *
 * An image is copied with its zero border first (when pad > 0); then each kernel row is one
 * contiguous run of floats, and a row of outputs is one panel product without a copy. Maps that are
 * narrow but have many channels are gathered instead, many positions at a time, so that a panel of
 * weights is read once for all of them. By the weights: split over threads by parts of the weights,
 * each over the whole batch in order. By the input: products with the transposed weights, scattered
 * into a bordered image.
 *
 * Not here: the products themselves (kernel/).
 */
#include <math.h>
#include <string.h>

#include "nn/layer_options.h"
#include "nn/layers/support.h"

static const char *const conv2d_inits[] = {"default", "he_fan_out", NULL};

static const struct field conv2d_fields[] = {
    FIELD_INT(struct conv2d_options, out, 0, 0, 1e6, "output channels (required)"),
    FIELD_INT(struct conv2d_options, kernel, 0, 0, 1e4,
              "height and width of the kernel (required)"),
    FIELD_INT(struct conv2d_options, stride, 1, 1, 1e4, "pixels from one output to the next"),
    FIELD_INT(struct conv2d_options, pad, 0, 0, 1e4, "rows and columns of zeros on each side"),
    FIELD_BOOL(struct conv2d_options, bias, true, "add a learnt number to each output channel"),
    FIELD_CHOICE(struct conv2d_options, init, "default", conv2d_inits, "start of the weights"),
    FIELD_LAST,
};

/* How positions come to the product, by the shape alone. */
enum access {
    ACCESS_ROWS,      /* a row of outputs, straight from the bordered image */
    ACCESS_GATHERED,  /* many positions, copied side by side */
    ACCESS_POINTWISE, /* 1x1: the input is the matrix */
};

struct geometry {
    int64_t channels, out_channels;
    int64_t kernel, stride, pad;
    int64_t height, width, bordered_width; /* of the input */
    int64_t out_width, positions;          /* of the output, per sample */
    int64_t image, bordered;               /* floats of the input, without and with border */
    int64_t run, k;                        /* of a kernel row, of a whole kernel */
    int64_t chunk;                         /* positions in a gathered or scattered piece */
    enum access access;
};

static enum access choose_access(const struct geometry *g)
{
    if (g->kernel == 1 && g->stride == 1 && g->pad == 0)
        return ACCESS_POINTWISE;
    return g->out_width < PANEL && g->out_channels / PANEL >= 2 ? ACCESS_GATHERED : ACCESS_ROWS;
}

static struct geometry geometry_of(const struct layer *l)
{
    const struct conv2d_options *o = l->options;
    struct geometry g = {
        .channels = l->in[0].channels,
        .out_channels = o->out,
        .kernel = o->kernel,
        .stride = o->stride,
        .pad = o->pad,
        .height = l->in[0].height,
        .width = l->in[0].width,
        .bordered_width = l->in[0].width + 2 * o->pad,
        .out_width = l->out.width,
        .positions = l->out.height * l->out.width,
        .image = shape_size(l->in[0]),
    };

    g.bordered = (g.height + 2 * g.pad) * g.bordered_width * g.channels;
    g.run = g.kernel * g.channels;
    g.k = g.kernel * g.run;
    g.chunk = layer_row_chunk(g.k);
    g.access = choose_access(&g);
    return g;
}

static enum status check_options(const struct layer *l)
{
    const struct conv2d_options *o = l->options;
    const struct shape in = l->in[0];
    struct text t = {0};
    enum status s;

    if (o->out < 1)
        return layer_fail(l, "out is not given; it is the number of output channels, at least 1");
    if (o->kernel < 1)
        return layer_fail(l, "kernel is not given; it is the height and width, at least 1");
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
    struct geometry g;
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
    g = geometry_of(l);
    l->scratch_per_thread = g.bordered + g.chunk * g.k;
    l->scratch_shared_fixed = g.k * g.out_channels; /* the transposed weights */
    layer_plan_slices(l, g.out_channels, 1);
    l->flops = 2 * g.positions * g.k * g.out_channels;
    return STATUS_OK;
}

/* --- positions as rows of a product --- */

/* Goes over the positions next .. end-1 of the whole batch, piece by piece. */
struct cursor {
    const struct geometry *geometry;
    const float *in;
    int64_t next, end;
    float *bordered, *gathered; /* scratch */
    const float *image;         /* of the sample that `next` lies in */
};

static struct cursor cursor_over(const struct layer_pass *p, const struct geometry *g, int thread,
                                 struct item_range samples)
{
    float *scratch = layer_scratch(p, thread);

    return (struct cursor){
        .geometry = g,
        .in = p->in[0],
        .next = samples.begin * g->positions,
        .end = samples.end * g->positions,
        .bordered = scratch,
        .gathered = scratch + g->bordered,
    };
}

static void copy_with_border(float *bordered, const float *image, const struct geometry *g)
{
    const int64_t row = g->width * g->channels, bordered_row = g->bordered_width * g->channels;

    memset(bordered, 0, (size_t)g->bordered * sizeof *bordered);
    bordered += g->pad * (bordered_row + g->channels);
    for (int64_t y = 0; y < g->height; y++)
        memcpy(bordered + y * bordered_row, image + y * row, (size_t)row * sizeof *image);
}

static void enter_sample(struct cursor *c)
{
    const struct geometry *g = c->geometry;

    c->image = c->in + c->next / g->positions * g->image;
    if (g->pad > 0) {
        copy_with_border(c->bordered, c->image, g);
        c->image = c->bordered;
    }
}

/* Where the window of a position begins in the bordered image. */
static int64_t window_of(const struct geometry *g, int64_t position)
{
    const int64_t y = position / g->out_width, x = position % g->out_width;

    return (y * g->bordered_width + x) * g->stride * g->channels;
}

static void gather(struct cursor *c, int64_t count)
{
    const struct geometry *g = c->geometry;

    for (int64_t i = 0; i < count; i++, c->next++) {
        const int64_t position = c->next % g->positions;
        if (position == 0)
            enter_sample(c);
        for (int64_t r = 0; r < g->kernel; r++)
            memcpy(c->gathered + i * g->k + r * g->run,
                   c->image + window_of(g, position) + r * g->bordered_width * g->channels,
                   (size_t)g->run * sizeof *c->gathered);
    }
}

/* One row of outputs. */
static struct panel_rows next_row(struct cursor *c)
{
    const struct geometry *g = c->geometry;
    const int64_t position = c->next % g->positions;

    if (position == 0)
        enter_sample(c);
    c->next += g->out_width;
    return (struct panel_rows){
        .data = c->image + window_of(g, position),
        .count = g->out_width,
        .row_stride = g->stride * g->channels,
        .runs = g->kernel,
        .run_stride = g->bordered_width * g->channels,
        .run = g->run,
    };
}

/* The next piece, whose first position in the batch goes to *first; false at the end. */
static bool cursor_next(struct cursor *c, struct panel_rows *a, int64_t *first)
{
    const struct geometry *g = c->geometry;
    const int64_t left = c->end - c->next, count = left < g->chunk ? left : g->chunk;

    *first = c->next;
    if (left == 0)
        return false;
    switch (g->access) {
    case ACCESS_ROWS:
        *a = next_row(c);
        return true;
    case ACCESS_GATHERED:
        gather(c, count);
        *a = (struct panel_rows){c->gathered, count, g->k, 1, 0, g->k};
        return true;
    case ACCESS_POINTWISE:
        c->next += count;
        *a = (struct panel_rows){c->in + *first * g->k, count, g->k, 1, 0, g->k};
        return true;
    }
    return false;
}

static const float *bias_of(const struct layer_pass *p)
{
    return p->layer->tensor_count > 1 ? p->tensors[1] : NULL;
}

static void forward_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer);
    struct cursor c = cursor_over(p, &g, thread, (struct item_range){begin, end});
    struct panel_rows a;
    int64_t first;

    while (cursor_next(&c, &a, &first))
        p->kernel->panel_product(p->out + first * g.out_channels, g.out_channels, &a, p->tensors[0],
                                 bias_of(p), g.out_channels);
}

static void conv2d_forward(const struct layer_pass *p)
{
    layer_split(p, p->batch, forward_samples, p);
}

/* --- by the weights --- */

static struct gradient_split split_of(const struct layer_pass *p, const struct geometry *g)
{
    return (struct gradient_split){
        .kernel = p->kernel,
        .dw = p->gradients[0],
        .k = g->k,
        .columns = g->out_channels,
        .block = g->kernel > 1 ? g->run : PANEL,
    };
}

static void weight_gradient_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer);
    const struct gradient_split split = split_of(p, &g);
    struct cursor c = cursor_over(p, &g, thread, (struct item_range){0, p->batch});
    struct panel_rows a;
    int64_t first;

    gradient_clear(&split, begin, end);
    while (cursor_next(&c, &a, &first))
        gradient_add(&split, &a, p->dout + first * g.out_channels, (struct item_range){begin, end});
}

static void bias_gradient(const struct layer_pass *p, const struct geometry *g)
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

/* --- by the input --- */

/* Adds the window of one position to the bordered image. */
static void scatter(const struct layer_pass *p, const struct geometry *g, float *window,
                    const float *values)
{
    for (int64_t r = 0; r < g->kernel; r++) {
        float *row = window + r * g->bordered_width * g->channels;
        p->kernel->add(row, row, values + r * g->run, g->run);
    }
}

static void copy_without_border(float *image, const float *bordered, const struct geometry *g)
{
    const int64_t row = g->width * g->channels, bordered_row = g->bordered_width * g->channels;

    bordered += g->pad * (bordered_row + g->channels);
    for (int64_t y = 0; y < g->height; y++)
        memcpy(image + y * row, bordered + y * bordered_row, (size_t)row * sizeof *image);
}

/* Scatters the positions first .. first+count-1 of the batch; a sample's last one completes it. */
static void scatter_piece(const struct layer_pass *p, const struct geometry *g, float *scratch,
                          struct item_range positions)
{
    float *bordered = scratch, *values = scratch + g->bordered;

    for (int64_t q = positions.begin; q < positions.end; q++, values += g->k) {
        const int64_t position = q % g->positions;
        if (position == 0)
            memset(bordered, 0, (size_t)g->bordered * sizeof *bordered);
        scatter(p, g, bordered + window_of(g, position), values);
        if (position == g->positions - 1)
            copy_without_border(p->din[0] + q / g->positions * g->image, bordered, g);
    }
}

static float *transposed_of(const struct layer_pass *p, const struct geometry *g)
{
    return p->scratch_shared + layer_slice_floats(p->batch, g->out_channels, 1);
}

static void input_gradient_samples(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct geometry g = geometry_of(p->layer);
    const int64_t last = end * g.positions;
    float *scratch = layer_scratch(p, thread);

    for (int64_t q = begin * g.positions; q < last; q += g.chunk) {
        const int64_t count = last - q < g.chunk ? last - q : g.chunk;
        const struct panel_rows a = {
            .data = p->dout + q * g.out_channels,
            .count = count,
            .row_stride = g.out_channels,
            .runs = 1,
            .run = g.out_channels,
        };
        const bool direct = g.access == ACCESS_POINTWISE;
        float *to = direct ? p->din[0] + q * g.k : scratch + g.bordered;
        p->kernel->panel_product(to, g.k, &a, transposed_of(p, &g), NULL, g.k);
        if (!direct)
            scatter_piece(p, &g, scratch, (struct item_range){q, q + count});
    }
}

static void conv2d_backward(const struct layer_pass *p)
{
    const struct geometry g = geometry_of(p->layer);
    const struct gradient_split split = split_of(p, &g);

    layer_split(p, gradient_items(&split), weight_gradient_items, p);
    if (p->layer->tensor_count > 1)
        bias_gradient(p, &g);
    if (p->din[0] != NULL) {
        p->kernel->panel_transpose(transposed_of(p, &g), p->tensors[0], g.k, g.out_channels);
        layer_split(p, p->batch, input_gradient_samples, p);
    }
}

const struct layer_ops conv2d_layer = {
    .entry =
        {
                .name = "conv2d",
                .summary = "convolution over an image",
                .fields = conv2d_fields,
                .options_size = sizeof(struct conv2d_options),
                },
    .flags = LAYER_NEEDS_INPUT,
    .input_count = 1,
    .plan = conv2d_plan,
    .forward = conv2d_forward,
    .backward = conv2d_backward,
};
