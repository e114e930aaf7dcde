/*
 * conv_winograd.c - 3x3 convolutions of stride 1 by Winograd F(4x4,3x3): a fourth of the
 * multiplications, for errors ten times those of a plain sum.
 *
 * The gradient by the input is a convolution with the rotated kernel, inputs and outputs changing
 * places. By the weights tiles go in waves: the team transforms a wave's inputs and gradients, then
 * each thread takes some items (panel of outputs, group of inputs); an item's sums over the tiles
 * of a wave are transformed and added to the gradient, wave by wave. Waves depend on the shape
 * alone.
 *
 * Not here: the convolution itself (winograd.h), transforms and products (kernel/simd/winograd.c).
 */
#include "nn/layers/conv.h"
#include "nn/layers/winograd.h"

enum {
    WAVE_FLOATS = 32768, /* of one point of a wave: 4.7 MB for all 36 */
    WAVE_MIN = 128,
    WAVE_MAX = 512,
    WAVE_STEP = 64,
    GROUP = 4, /* panels of inputs in an item */
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

static struct plane input_plane(const struct conv_geometry *g)
{
    return (struct plane){g->height, g->width, g->channels, g->pad};
}

static struct plane output_plane(const struct conv_geometry *g)
{
    return (struct plane){g->out_height, g->out_width, g->out_channels, 0};
}

/* --- forward, and by the input --- */

/* Where the products go. */
struct target {
    float *to;
    const float *bias;
};

static void transform_outputs(const struct winograd *k, const float *m, int64_t panel,
                              struct item_range tiles)
{
    const struct target *t = k->context;
    const int64_t n = panel * PANEL;

    for (int64_t i = tiles.begin; i < tiles.end; i++, m += PANEL) {
        struct winograd_window w;
        const int64_t at = tile_window(&w, &k->out, &k->tiling, i, WINOGRAD_TILE);
        k->pass->kernel->winograd_output(t->to + at + n, &w, m, k->m_point,
                                         t->bias == NULL ? NULL : t->bias + n,
                                         panel_width(k->out.channels, n));
    }
}

static void winograd_forward(const struct layer_pass *p)
{
    const struct conv_geometry g = conv_geometry_of(p->layer);
    const struct target t = {.to = p->out, .bias = conv_bias(p)};
    struct winograd k = {
        .pass = p,
        .in = input_plane(&g),
        .out = output_plane(&g),
        .tiling = tiling_of(g.out_height, g.out_width),
        .from = p->in[0],
        .weights = p->tensors[0],
        .finish = transform_outputs,
        .context = &t,
    };

    winograd_convolve(&k);
}

static void winograd_back_data(const struct layer_pass *p)
{
    const struct conv_geometry g = conv_geometry_of(p->layer);
    const struct target t = {.to = p->din[0]};
    struct winograd k = {
        .pass = p,
        .in = output_plane(&g),
        .out = input_plane(&g),
        .tiling = tiling_of(g.height, g.width),
        .from = p->dout,
        .weights = p->tensors[0],
        .is_rotated = true,
        .finish = transform_outputs,
        .context = &t,
    };

    k.in.pad = g.kernel - 1 - g.pad;
    k.out.pad = 0;
    winograd_convolve(&k);
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
        int64_t at = tile_window(&w, &k->in, &k->tiling, tile, WINOGRAD_PATCH);
        kernel->winograd_input(k->inputs + i * PANEL, &k->v, k->pass->in[0] + at, &w,
                               k->in.channels);
        at = tile_window(&w, &k->out, &k->tiling, tile, WINOGRAD_TILE);
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
    return winograd_stride(at_most(winograd_panels(channels), GROUP) * SQUARE);
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
    const int64_t tiles = WAVE_FLOATS / (g->channels + g->out_channels) / WAVE_STEP * WAVE_STEP;

    return at_most(at_least(tiles, WAVE_MIN), WAVE_MAX);
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
        .v = winograd_strides_of(g.channels, wave),
        .d = winograd_strides_of(g.out_channels, wave),
        .inputs = p->scratch_shared,
        .gradients =
            p->scratch_shared + WINOGRAD_POINTS * winograd_strides_of(g.channels, wave).point,
    };
    const int64_t tiles = p->batch * k.tiling.rows * k.tiling.columns;

    for (; k.first < tiles; k.first += wave) {
        k.count = at_most(wave, tiles - k.first);
        layer_split(p, k.count, transform_both, &k);
        layer_split(p, winograd_panels(g.out_channels) * groups_of(g.channels), gradient_panels,
                    &k);
    }
}

/* --- the plan --- */

static void winograd_plan(struct layer *l, const struct conv_geometry *g)
{
    const int64_t in = g->channels, out = g->out_channels, wave = gradient_wave(g);
    const int64_t by_weights =
        winograd_strides_of(in, wave).point + winograd_strides_of(out, wave).point;

    l->scratch_shared_fixed +=
        at_least(WINOGRAD_POINTS * by_weights,
                 at_least(winograd_shared_floats(in, out), winograd_shared_floats(out, in)));
    l->scratch_per_thread +=
        at_least(WINOGRAD_POINTS * du_point(in),
                 at_least(winograd_thread_floats(in, out), winograd_thread_floats(out, in)));
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
