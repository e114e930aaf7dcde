/*
 * conv_taps.c - convolutions whose kernel is as large as the map, such as 3x3 with a border on 1x1
 * or 2x2 pixels: most taps of most positions lie outside, and only the others are multiplied.
 *
 * The taps of one position that lie inside are a rectangle of the kernel. A product takes the
 * samples as rows, and the taps of one position, over one panel of outputs, as its K; of these
 * weights each kernel row is one contiguous piece. By the input it takes one pixel, with the
 * transposed weights of the positions that see it. By the weights an item is a panel and a kernel
 * row. So whatever the team does is split by outputs, inputs, or weights, each over the whole batch
 * in order.
 *
 * Not here: the products themselves (kernel/).
 */
#include <string.h>

#include "nn/layers/conv.h"
#include "nn/layers/support.h"

/* What lies inside, along one direction: `count` taps from `tap` on, the first at pixel `pixel`. */
struct span {
    int64_t tap, pixel, count;
};

static struct span taps_of(const struct conv_geometry *g, int64_t position, int64_t size)
{
    const int64_t first = position * g->stride - g->pad;
    const int64_t begin = first < 0 ? 0 : first;
    const int64_t end = first + g->kernel < size ? first + g->kernel : size;

    return (struct span){begin - first, begin, end > begin ? end - begin : 0};
}

/* Pairs (position, tap) that lie inside, along one direction. */
static int64_t live_pairs(const struct conv_geometry *g, int64_t positions, int64_t size)
{
    int64_t live = 0;

    for (int64_t i = 0; i < positions; i++)
        live += taps_of(g, i, size).count;
    return live;
}

/* Half of the products at most; and panels that are whole, for pieces of them to be panels. */
static bool taps_applies(const struct conv_geometry *g)
{
    const int64_t all = g->positions * g->kernel * g->kernel;

    return g->kernel > 1 && g->channels % PANEL == 0 && g->out_channels % PANEL == 0 &&
           2 * live_pairs(g, g->out_height, g->height) * live_pairs(g, g->out_width, g->width) <=
               all;
}

static void taps_plan(struct layer *l, const struct conv_geometry *g)
{
    const int64_t most = g->channels > g->out_channels ? g->channels : g->out_channels;

    l->scratch_per_thread += g->kernel * g->kernel * most * PANEL;
}

/* --- forward --- */

/* The weights of one panel of outputs for the taps y, x; where they do not lie together, a copy. */
static const float *live_weights(const struct layer_pass *p, const struct conv_geometry *g,
                                 struct span y, struct span x, int64_t panel, float *room)
{
    const int64_t piece = x.count * g->channels * PANEL;
    const float *from =
        p->tensors[0] + panel * PANEL * g->k + (y.tap * g->kernel + x.tap) * g->channels * PANEL;

    if (y.count == 1)
        return from;
    for (int64_t i = 0; i < y.count; i++)
        memcpy(room + i * piece, from + i * g->kernel * g->channels * PANEL,
               (size_t)piece * sizeof *room);
    return room;
}

static void clear_position(const struct layer_pass *p, int64_t position, int64_t panel)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);
    const float *bias = conv_bias(p);

    for (int64_t i = 0; i < p->batch; i++)
        for (int64_t c = 0; c < PANEL; c++)
            p->out[i * g.out_image + position * g.out_channels + panel * PANEL + c] =
                bias == NULL ? 0.0F : bias[panel * PANEL + c];
}

static void forward_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct conv_geometry g = conv2d_geometry(p->layer);
    const float *bias = conv_bias(p);

    for (int64_t item = begin; item < end; item++) {
        const int64_t panel = item / g.positions, position = item % g.positions;
        const struct span y = taps_of(&g, position / g.out_width, g.height);
        const struct span x = taps_of(&g, position % g.out_width, g.width);
        const struct panel_rows a = {
            .data = p->in[0] + (y.pixel * g.width + x.pixel) * g.channels,
            .count = p->batch,
            .row_stride = g.image,
            .runs = y.count,
            .run_stride = g.width * g.channels,
            .run = x.count * g.channels,
        };
        if (y.count * x.count == 0) {
            clear_position(p, position, panel);
            continue;
        }
        p->kernel->panel_product(p->out + position * g.out_channels + panel * PANEL, g.out_image,
                                 &a, live_weights(p, &g, y, x, panel, layer_scratch(p, thread)),
                                 bias == NULL ? NULL : bias + panel * PANEL, PANEL);
    }
}

static void taps_forward(const struct layer_pass *p)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);

    layer_split(p, g.positions * g.out_channels / PANEL, forward_items, p);
}

/* --- by the input --- */

/* Along one direction: the positions first .. first+count-1 that see a pixel; the first of them by
 * tap `tap`, each further one by a tap that is `stride` less. */
struct view {
    int64_t first, tap, count;
};

static struct view view_of(const struct conv_geometry *g, int64_t pixel, int64_t positions)
{
    struct view v = {0};

    for (int64_t i = 0; i < positions; i++) {
        const int64_t tap = pixel + g->pad - i * g->stride;
        if (tap < 0 || tap >= g->kernel)
            continue;
        if (v.count++ == 0) {
            v.first = i;
            v.tap = tap;
        }
    }
    return v;
}

/* The weights from the positions y, x to one panel of inputs: [position][output][16]. */
static void transposed_weights(float *to, const struct layer_pass *p, struct view y, struct view x,
                               int64_t panel)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);

    for (int64_t i = 0; i < y.count * x.count; i++) {
        const int64_t ky = y.tap - i / x.count * g.stride, kx = x.tap - i % x.count * g.stride;
        const int64_t row = (ky * g.kernel + kx) * g.channels + panel * PANEL;
        for (int64_t n = 0; n < g.out_channels; n += PANEL, to += PANEL * PANEL)
            p->kernel->panel_transpose(to, p->tensors[0] + n * g.k + row * PANEL, PANEL, PANEL);
    }
}

static void input_gradient_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct conv_geometry g = conv2d_geometry(p->layer);
    float *weights = layer_scratch(p, thread);

    for (int64_t item = begin; item < end; item++) {
        const int64_t pixels = g.height * g.width, panel = item / pixels, pixel = item % pixels;
        const struct view y = view_of(&g, pixel / g.width, g.out_height);
        const struct view x = view_of(&g, pixel % g.width, g.out_width);
        const struct panel_rows a = {
            .data = p->dout + (y.first * g.out_width + x.first) * g.out_channels,
            .count = p->batch,
            .row_stride = g.out_image,
            .runs = y.count,
            .run_stride = g.out_width * g.out_channels,
            .run = x.count * g.out_channels,
        };
        float *to = p->din[0] + pixel * g.channels + panel * PANEL;
        for (int64_t i = 0; y.count * x.count == 0 && i < p->batch; i++)
            memset(to + i * g.image, 0, PANEL * sizeof *to);
        if (y.count * x.count == 0)
            continue;
        transposed_weights(weights, p, y, x, panel);
        p->kernel->panel_product(to, g.image, &a, weights, NULL, PANEL);
    }
}

static void taps_back_data(const struct layer_pass *p)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);

    layer_split(p, g.height * g.width * g.channels / PANEL, input_gradient_items, p);
}

/* --- by the weights --- */

/* What one position adds to a kernel row's weights of one panel. */
static void add_position(float *dw, const struct layer_pass *p, int64_t position, int64_t ky,
                         int64_t panel)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);
    const struct span y = taps_of(&g, position / g.out_width, g.height);
    const struct span x = taps_of(&g, position % g.out_width, g.width);
    const int64_t row = y.pixel + ky - y.tap;
    const struct panel_rows a = {
        .data = p->in[0] + (row * g.width + x.pixel) * g.channels,
        .count = p->batch,
        .row_stride = g.image,
        .runs = 1,
        .run = x.count * g.channels,
    };

    if (ky < y.tap || ky >= y.tap + y.count || x.count == 0)
        return;
    p->kernel->panel_gradient(dw + x.tap * g.channels * PANEL, &a,
                              p->dout + position * g.out_channels + panel * PANEL, g.out_image,
                              PANEL, 0, 1);
}

static void weight_gradient_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct layer_pass *p = context;
    const struct conv_geometry g = conv2d_geometry(p->layer);
    const int64_t size = g.kernel * g.channels * PANEL;

    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        float *dw = p->gradients[0] + item * size;
        memset(dw, 0, (size_t)size * sizeof *dw);
        for (int64_t position = 0; position < g.positions; position++)
            add_position(dw, p, position, item % g.kernel, item / g.kernel);
    }
}

static void taps_back_weights(const struct layer_pass *p)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);

    layer_split(p, g.out_channels / PANEL * g.kernel, weight_gradient_items, p);
}

const struct conv_method conv_taps = {
    .name = "taps",
    .is_exact = true,
    .applies = taps_applies,
    .plan = taps_plan,
    .forward = taps_forward,
    .back_data = taps_back_data,
    .back_weights = taps_back_weights,
};
