/*
 * conv_winograd.c - 3x3 convolutions of stride 1 by Winograd F(4x4,3x3): a fourth of the
 * multiplications, for errors ten times those of a plain sum.
 *
 * Tiles of 4x4 outputs are numbered over the whole batch and go in waves. First the team transforms
 * the wave's tiles, each thread some of them. Then each thread takes some items (panel of outputs,
 * block of tiles): it transforms the panel's weights, multiplies at the 36 points, and transforms
 * back. A wave's tiles stay in the third-level cache, an item's weights and products in the second;
 * transformed weights are never stored as a whole, being four times the weights. The gradient by
 * the input is the same with the rotated kernel, inputs and outputs changing places.
 *
 * By the weights an item is (panel of outputs, group of inputs); its sums over the tiles of a wave
 * are transformed and added to the gradient, wave by wave.
 *
 * Waves and blocks depend on the shape alone, and every element on its own tiles only, so that bits
 * do not depend on the threads.
 *
 * Not here: transforms and products (kernel/simd/winograd.c).
 */
#include <string.h>

#include "nn/layers/conv.h"
#include "nn/layers/support.h"

enum {
    WAVE_FLOATS = 32768, /* of one point of a wave: 4.7 MB for all 36 */
    WAVE_MIN = 64,
    WAVE_MAX = 512,
    DEPTH = 128,      /* inputs whose weights are transformed at once: 300 KB */
    BLOCK = 64,       /* tiles that are multiplied at once: 150 KB */
    BLOCK_DEEP = 128, /* where the weights take several turns, for which products are kept */
    GROUP = 4,        /* panels of inputs in an item of the gradient by the weights */
    TAPS = 9,
    SQUARE = PANEL * PANEL,
};

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t panels_of(int64_t channels)
{
    return (channels + PANEL - 1) / PANEL;
}

/* Tiles in a wave, of which each takes this many floats at each point. */
static int64_t wave_of(int64_t floats)
{
    return at_most(at_least(WAVE_FLOATS / floats / BLOCK * BLOCK, WAVE_MIN), WAVE_MAX);
}

static int64_t block_of(int64_t channels)
{
    return channels <= DEPTH ? BLOCK : BLOCK_DEEP;
}

/* --- tiles --- */

/* An image and how tiles lie on it: tile (y, x) begins at pixel (4y - pad, 4x - pad). */
struct plane {
    int64_t height, width, channels, pad;
};

/* A batch of images cut into tiles. */
struct tiling {
    int64_t rows, columns; /* tiles of an image */
};

static struct tiling tiling_of(int64_t height, int64_t width)
{
    return (struct tiling){
        .rows = (height + WINOGRAD_TILE - 1) / WINOGRAD_TILE,
        .columns = (width + WINOGRAD_TILE - 1) / WINOGRAD_TILE,
    };
}

static int64_t tiles_of(const struct tiling *t, int64_t batch)
{
    return batch * t->rows * t->columns;
}

/* The window of `size` pixels of one tile; answers where its first pixel inside lies. */
static int64_t window_of(struct winograd_window *w, const struct plane *p, const struct tiling *t,
                         int64_t tile, int64_t size)
{
    const int64_t image = tile / (t->rows * t->columns);
    const int64_t y = tile / t->columns % t->rows * WINOGRAD_TILE - p->pad;
    const int64_t x = tile % t->columns * WINOGRAD_TILE - p->pad;

    *w = (struct winograd_window){
        .row = p->width * p->channels,
        .pixel = p->channels,
        .top = at_least(0, -y),
        .bottom = at_most(size, p->height - y),
        .left = at_least(0, -x),
        .right = at_most(size, p->width - x),
    };
    return ((image * p->height + y + w->top) * p->width + x + w->left) * p->channels;
}

static struct winograd_strides strides_of(int64_t channels, int64_t wave)
{
    return (struct winograd_strides){
        .point = winograd_stride(panels_of(channels) * wave * PANEL),
        .panel = wave * PANEL,
    };
}

/* --- forward, and by the input --- */

struct work {
    const struct layer_pass *pass;
    struct plane in, out;
    struct tiling tiling; /* of out */
    const float *from;
    float *to;
    const float *weights, *bias;
    bool is_rotated;
    int64_t first, count; /* tiles of this wave */
    struct winograd_strides v;
};

static int64_t u_point(int64_t channels)
{
    return winograd_stride(at_most(channels, DEPTH) * PANEL);
}

static int64_t m_point(int64_t channels)
{
    return winograd_stride(block_of(channels) * PANEL);
}

static void transform_inputs(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct work *k = context;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        struct winograd_window w;
        const int64_t at = window_of(&w, &k->in, &k->tiling, k->first + i, WINOGRAD_PATCH);
        k->pass->kernel->winograd_input(k->pass->scratch_shared + i * PANEL, &k->v, k->from + at,
                                        &w, k->in.channels);
    }
}

/* The rows first .. first+15 or less of a panel of outputs, [tap][row][16]; of the rotated kernel
 * an input of the layer is the output. */
static void gather_weights(float *square, const struct work *k, int64_t panel, int64_t first)
{
    const int64_t inputs = k->is_rotated ? k->out.channels : k->in.channels;
    const int64_t outputs = k->is_rotated ? k->in.channels : k->out.channels;
    const int64_t n = k->is_rotated ? first : panel * PANEL; /* the layer's output, input */
    const int64_t c = k->is_rotated ? panel * PANEL : first;
    const int64_t width = panel_width(outputs, n), height = panel_width(inputs, c);

    for (int64_t tap = 0; tap < TAPS; tap++, square += SQUARE) {
        const float *from = k->weights + n * TAPS * inputs + (tap * inputs + c) * width;
        if (k->is_rotated && height == PANEL) {
            k->pass->kernel->panel_transpose(square, from, PANEL, width);
            continue;
        }
        memset(square, 0, SQUARE * sizeof *square);
        for (int64_t i = 0; i < height; i++)
            for (int64_t j = 0; j < width; j++)
                square[k->is_rotated ? j * PANEL + i : i * PANEL + j] = from[i * width + j];
    }
}

/* The transformed weights of one panel of outputs, inputs first .. first+count-1. */
static void transform_weights(float *u, float *square, const struct work *k, int64_t panel,
                              struct item_range inputs)
{
    const int64_t point = u_point(k->in.channels);
    const struct kernel *kernel = k->pass->kernel;

    if (!k->is_rotated && panel_width(k->out.channels, panel * PANEL) == PANEL) {
        const float *from = k->weights + panel * PANEL * TAPS * k->in.channels;
        kernel->winograd_weights(u, point, from + inputs.begin * PANEL, k->in.channels * PANEL,
                                 inputs.end - inputs.begin);
        return;
    }
    for (int64_t c = inputs.begin; c < inputs.end; c += PANEL) {
        const int64_t rows = panel_width(inputs.end, c);
        float *to = u + (c - inputs.begin) * PANEL;
        gather_weights(square, k, panel, c);
        if (k->is_rotated)
            kernel->winograd_weights(to, point, square + (TAPS - 1) * SQUARE, -SQUARE, rows);
        else
            kernel->winograd_weights(to, point, square, SQUARE, rows);
    }
}

static void transform_outputs(const struct work *k, const float *m, int64_t panel,
                              struct item_range tiles)
{
    const int64_t n = panel * PANEL;

    for (int64_t i = tiles.begin; i < tiles.end; i++, m += PANEL) {
        struct winograd_window w;
        const int64_t at = window_of(&w, &k->out, &k->tiling, k->first + i, WINOGRAD_TILE);
        k->pass->kernel->winograd_output(k->to + at + n, &w, m, m_point(k->in.channels),
                                         k->bias == NULL ? NULL : k->bias + n,
                                         panel_width(k->out.channels, n));
    }
}

/* The products of some tiles with the weights of some inputs, at all points. */
static void multiply(const struct work *k, float *m, const float *u, struct item_range tiles,
                     struct item_range inputs)
{
    const float *v = k->pass->scratch_shared + inputs.begin / PANEL * k->v.panel;
    const int64_t u_step = u_point(k->in.channels), m_step = m_point(k->in.channels);

    for (int64_t x = 0; x < WINOGRAD_POINTS; x++)
        k->pass->kernel->winograd_product(m + x * m_step, v + x * k->v.point + tiles.begin * PANEL,
                                          k->v.panel, u + x * u_step, tiles.end - tiles.begin,
                                          inputs.end - inputs.begin, inputs.begin > 0);
}

static int64_t blocks_of(const struct work *k)
{
    const int64_t block = block_of(k->in.channels);

    return (k->count + block - 1) / block;
}

static void multiply_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct work *k = context;
    const int64_t channels = k->in.channels, block = block_of(channels);
    float *u = layer_scratch(k->pass, thread);
    float *m = u + WINOGRAD_POINTS * u_point(channels);
    float *square = m + WINOGRAD_POINTS * m_point(channels);
    int64_t panel_in_u = -1;

    for (int64_t item = begin; item < end; item++) {
        const int64_t panel = item / blocks_of(k), first = item % blocks_of(k) * block;
        const struct item_range tiles = {first, at_most(first + block, k->count)};
        for (int64_t c = 0; c < channels; c += DEPTH) {
            const struct item_range inputs = {c, at_most(c + DEPTH, channels)};
            if (channels > DEPTH || panel != panel_in_u)
                transform_weights(u, square, k, panel, inputs);
            multiply(k, m, u, tiles, inputs);
        }
        panel_in_u = panel;
        transform_outputs(k, m, panel, tiles);
    }
}

static void convolve(struct work *k)
{
    const int64_t tiles = tiles_of(&k->tiling, k->pass->batch);
    const int64_t wave = wave_of(k->in.channels);

    k->v = strides_of(k->in.channels, wave);
    for (k->first = 0; k->first < tiles; k->first += wave) {
        k->count = at_most(wave, tiles - k->first);
        layer_split(k->pass, k->count, transform_inputs, k);
        layer_split(k->pass, panels_of(k->out.channels) * blocks_of(k), multiply_items, k);
    }
}

static struct plane input_plane(const struct conv_geometry *g)
{
    return (struct plane){g->height, g->width, g->channels, g->pad};
}

static struct plane output_plane(const struct conv_geometry *g)
{
    return (struct plane){g->out_height, g->out_width, g->out_channels, 0};
}

static void winograd_forward(const struct layer_pass *p)
{
    const struct conv_geometry g = conv_geometry_of(p->layer);
    struct work k = {
        .pass = p,
        .in = input_plane(&g),
        .out = output_plane(&g),
        .tiling = tiling_of(g.out_height, g.out_width),
        .from = p->in[0],
        .to = p->out,
        .weights = p->tensors[0],
        .bias = conv_bias(p),
    };

    convolve(&k);
}

static void winograd_back_data(const struct layer_pass *p)
{
    const struct conv_geometry g = conv_geometry_of(p->layer);
    struct work k = {
        .pass = p,
        .in = output_plane(&g),
        .out = input_plane(&g),
        .tiling = tiling_of(g.height, g.width),
        .from = p->dout,
        .to = p->din[0],
        .weights = p->tensors[0],
        .is_rotated = true,
    };

    k.in.pad = g.kernel - 1 - g.pad;
    k.out.pad = 0;
    convolve(&k);
}

/* --- by the weights --- */

struct gradient_work {
    const struct layer_pass *pass;
    struct plane in, out;
    struct tiling tiling;
    int64_t first, count; /* tiles of this wave */
    struct winograd_strides v, d;
    float *inputs, *gradients; /* transformed */
};

static void transform_both(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct gradient_work *k = context;
    const struct kernel *kernel = k->pass->kernel;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t tile = k->first + i;
        struct winograd_window w;
        int64_t at = window_of(&w, &k->in, &k->tiling, tile, WINOGRAD_PATCH);
        kernel->winograd_input(k->inputs + i * PANEL, &k->v, k->pass->in[0] + at, &w,
                               k->in.channels);
        at = window_of(&w, &k->out, &k->tiling, tile, WINOGRAD_TILE);
        kernel->winograd_output_gradient(k->gradients + i * PANEL, &k->d, k->pass->dout + at, &w,
                                         k->out.channels);
    }
}

static int64_t groups_of(int64_t channels)
{
    return (channels + GROUP * PANEL - 1) / (GROUP * PANEL);
}

static int64_t du_point(int64_t channels)
{
    return winograd_stride(at_most(panels_of(channels), GROUP) * SQUARE);
}

/* du[point][input][16] over the tiles of the wave. */
static void sum_tiles(float *du, const struct gradient_work *k, int64_t panel,
                      struct item_range inputs)
{
    for (int64_t x = 0; x < WINOGRAD_POINTS; x++) {
        const float *d = k->gradients + x * k->d.point + panel * k->d.panel;
        for (int64_t c = inputs.begin; c < inputs.end; c += PANEL)
            k->pass->kernel->winograd_gradient(du + x * du_point(k->in.channels) +
                                                   (c - inputs.begin) * PANEL,
                                               k->inputs + x * k->v.point + c / PANEL * k->v.panel,
                                               d, k->count, panel_width(inputs.end, c));
    }
}

static void gradient_panels(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct gradient_work *k = context;
    const int64_t channels = k->in.channels, groups = groups_of(channels);
    float *du = layer_scratch(k->pass, thread);

    for (int64_t item = begin; item < end; item++) {
        const int64_t panel = item / groups, first = item % groups * GROUP * PANEL;
        const struct item_range inputs = {first, at_most(first + GROUP * PANEL, channels)};
        const int64_t width = panel_width(k->out.channels, panel * PANEL);
        float *dw = k->pass->gradients[0] + panel * PANEL * TAPS * channels + first * width;
        sum_tiles(du, k, panel, inputs);
        k->pass->kernel->winograd_weight_gradient(dw, channels * width, du, du_point(channels),
                                                  inputs.end - inputs.begin, width, k->first > 0);
    }
}

static int64_t gradient_wave(const struct conv_geometry *g)
{
    return at_least(wave_of(g->channels + g->out_channels), 2 * WAVE_MIN);
}

static void winograd_back_weights(const struct layer_pass *p)
{
    const struct conv_geometry g = conv_geometry_of(p->layer);
    const int64_t wave = gradient_wave(&g);
    struct gradient_work k = {
        .pass = p,
        .in = input_plane(&g),
        .out = output_plane(&g),
        .tiling = tiling_of(g.out_height, g.out_width),
        .v = strides_of(g.channels, wave),
        .d = strides_of(g.out_channels, wave),
        .inputs = p->scratch_shared,
        .gradients = p->scratch_shared + WINOGRAD_POINTS * strides_of(g.channels, wave).point,
    };
    const int64_t tiles = tiles_of(&k.tiling, p->batch);

    for (; k.first < tiles; k.first += wave) {
        k.count = at_most(wave, tiles - k.first);
        layer_split(p, k.count, transform_both, &k);
        layer_split(p, panels_of(g.out_channels) * groups_of(g.channels), gradient_panels, &k);
    }
}

/* --- the plan --- */

static int64_t tiles_floats(int64_t channels, int64_t wave)
{
    return WINOGRAD_POINTS * strides_of(channels, wave).point;
}

static int64_t thread_floats(int64_t channels)
{
    return WINOGRAD_POINTS * (u_point(channels) + m_point(channels)) + TAPS * SQUARE;
}

static void winograd_plan(struct layer *l, const struct conv_geometry *g)
{
    const int64_t wave = gradient_wave(g);
    const int64_t forward = tiles_floats(g->channels, wave_of(g->channels));
    const int64_t by_input = tiles_floats(g->out_channels, wave_of(g->out_channels));
    const int64_t by_weights =
        tiles_floats(g->channels, wave) + tiles_floats(g->out_channels, wave);
    const int64_t du = WINOGRAD_POINTS * du_point(g->channels);

    l->scratch_shared_fixed += at_least(by_weights, at_least(forward, by_input));
    l->scratch_per_thread +=
        at_least(du, at_least(thread_floats(g->channels), thread_floats(g->out_channels)));
}

static bool winograd_applies(const struct conv_geometry *g)
{
    return g->kernel == 3 && g->stride == 1 && g->pad <= 2 && g->out_height >= WINOGRAD_TILE &&
           g->out_width >= WINOGRAD_TILE && g->channels >= PANEL && g->out_channels >= PANEL;
}

const struct conv_method conv_winograd = {
    .name = "winograd",
    .applies = winograd_applies,
    .plan = winograd_plan,
    .forward = winograd_forward,
    .back_data = winograd_back_data,
    .back_weights = winograd_back_weights,
};
