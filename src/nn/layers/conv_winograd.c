/*
 * conv_winograd.c - 3x3 convolutions by Winograd: with stride 1 a fourth of the multiplications,
 * for errors ten times those of a plain sum; with stride 2, 81 of 144.
 *
 * The gradient by the input is a convolution with the rotated kernel, inputs and outputs changing
 * places; with stride 2, its tiles begin at an odd pixel of the bordered image. By the weights
 * tiles go in waves: the team transforms a wave's inputs and gradients, then each thread takes some
 * items (pair of panels of outputs, group of inputs); an item's sums over the tiles of a wave are
 * transformed and added to the gradient, wave by wave. Waves depend on the shape alone.
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
    GROUP = 4,       /* panels of inputs in an item */
    PAIR = 2,        /* panels of outputs in an item */
    WRITE_AHEAD = 2, /* tiles before it is written, a tile's lines are asked for */
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

static bool is_strided(const struct conv_geometry *g)
{
    return g->stride == 2;
}

static int64_t points_of(const struct conv_geometry *g)
{
    return is_strided(g) ? STRIDED_POINTS : WINOGRAD_POINTS;
}

static struct winograd_plane input_plane(const struct conv_geometry *g)
{
    return (struct winograd_plane){
        .height = g->height,
        .width = g->width,
        .channels = g->channels,
        .pad = g->pad,
        .step = WINOGRAD_TILE * g->stride,
        .size = is_strided(g) ? STRIDED_PATCH : WINOGRAD_PATCH,
    };
}

static struct winograd_plane output_plane(const struct conv_geometry *g)
{
    return (struct winograd_plane){
        .height = g->out_height,
        .width = g->out_width,
        .channels = g->out_channels,
        .step = WINOGRAD_TILE,
        .size = WINOGRAD_TILE,
    };
}

/* --- forward, and by the input --- */

typedef void from_points(float *y, const struct winograd_window *w,
                         const struct winograd_sources *s, int64_t channels);

/* Where the products go. */
struct target {
    from_points *transform;
    float *to;
    const float *bias;
    bool add;
};

static void transform_outputs(const struct winograd *k, const float *m, int64_t panel,
                              struct item_range tiles)
{
    const struct target *t = k->context;
    const int64_t n = panel * PANEL;
    struct winograd_sources from = {m, k->m_point, t->bias == NULL ? NULL : t->bias + n, t->add};

    struct winograd_walk walk = winograd_walk_from(&k->out, &k->tiling, tiles.begin, WRITE_AHEAD);

    for (int64_t i = tiles.begin; i < tiles.end; i++, from.m += PANEL) {
        struct winograd_window w;
        const int64_t at = winograd_walk_next(&walk, &w);
        t->transform(t->to + at + n, &w, &from, panel_width(k->out.channels, n));
    }
}

static void winograd_forward(const struct layer_pass *p)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);
    const struct kernel *kernel = p->kernel;
    const bool strided = is_strided(&g);
    const struct target t = {
        .transform = strided ? kernel->strided_output : kernel->winograd_output,
        .to = p->out,
        .bias = conv_bias(p),
    };
    struct winograd k = {
        .pass = p,
        .way = {.points = points_of(&g),
                .tile = strided ? kernel->strided_input : kernel->winograd_input,
                .weights = strided ? kernel->strided_weights : kernel->winograd_weights},
        .in = input_plane(&g),
        .out = output_plane(&g),
        .from = p->in[0],
        .weights = p->tensors[0],
        .finish = transform_outputs,
        .context = &t,
    };

    k.tiling = winograd_tiling_of(&k.out);
    winograd_convolve(&k);
}

/* How tiles of the gradient by the input lie on it, and on that by the output. */
static void gradient_planes(const struct conv_geometry *g, struct winograd_plane *dx,
                            struct winograd_plane *dy)
{
    *dx = input_plane(g);
    *dy = output_plane(g);
    dx->size = dx->step;
    if (is_strided(g)) {
        dx->pad = g->pad % 2 == 1 ? 0 : 1;
        dy->pad = g->pad == 0 ? 1 : 0;
        dy->size = STRIDED_GRADIENT;
    } else {
        dx->pad = 0;
        dy->pad = g->kernel - 1 - g->pad;
        dy->size = WINOGRAD_PATCH;
    }
}

static void winograd_back_data(const struct layer_pass *p)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);
    const struct kernel *kernel = p->kernel;
    const bool strided = is_strided(&g);
    const struct target t = {
        .transform = strided ? kernel->strided_input_gradient : kernel->winograd_output,
        .to = p->din[0],
        .add = p->adds_input,
    };
    struct winograd k = {
        .pass = p,
        .way = {.points = points_of(&g),
                .tile = strided ? kernel->strided_gradient : kernel->winograd_input,
                .weights = strided ? kernel->strided_weights : kernel->winograd_weights},
        .from = p->dout,
        .weights = p->tensors[0],
        .is_rotated = true,
        .finish = transform_outputs,
        .context = &t,
    };

    gradient_planes(&g, &k.out, &k.in);
    k.tiling = winograd_tiling_of(&k.out);
    winograd_convolve(&k);
}

/* --- by the weights --- */

struct gradient_work {
    const struct layer_pass *pass;
    int64_t points; /* of a tile */
    struct winograd_plane in, out;
    struct winograd_tiling tiling;
    int64_t first, count; /* tiles of this wave */
    struct winograd_strides v, d;
    float *inputs, *gradients; /* transformed */
};

static void transform_both(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct gradient_work *k = context;
    const struct kernel *kernel = k->pass->kernel;
    const bool strided = k->points == STRIDED_POINTS;
    winograd_to_points *input = strided ? kernel->strided_input : kernel->winograd_input;
    winograd_to_points *gradient =
        strided ? kernel->strided_output_gradient : kernel->winograd_output_gradient;
    struct winograd_walk in = winograd_walk_from(&k->in, &k->tiling, k->first + begin, 1);
    struct winograd_walk out = winograd_walk_from(&k->out, &k->tiling, k->first + begin, 1);

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        struct winograd_window w;
        int64_t at = winograd_walk_next(&in, &w);
        input(k->inputs + i * PANEL, &k->v, k->pass->in[0] + at, &w, k->in.channels);
        at = winograd_walk_next(&out, &w);
        gradient(k->gradients + i * PANEL, &k->d, k->pass->dout + at, &w, k->out.channels);
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

/* What a thread computes at once: panels of outputs and inputs. */
struct item {
    struct item_range panels, inputs;
};

static struct item item_of(const struct gradient_work *k, int64_t number)
{
    const int64_t channels = k->in.channels, panels = winograd_panels(k->out.channels);
    const int64_t groups = groups_of(channels);
    const int64_t panel = number / groups * PAIR, first = number % groups * GROUP * PANEL;

    return (struct item){
        .panels = {panel, at_most(panel + PAIR,          panels)  },
        .inputs = {first, at_most(first + GROUP * PANEL, channels)},
    };
}

/* The sums of one point, for every panel of the item; added to du if asked. */
static void sum_tiles(float *du, const struct gradient_work *k, const struct item *item,
                      int64_t point, bool add)
{
    const float *v = k->inputs + point * k->v.point, *d = k->gradients + point * k->d.point;

    for (int64_t n = item->panels.begin; n < item->panels.end; n++) {
        for (int64_t c = item->inputs.begin; c < item->inputs.end; c += PANEL)
            k->pass->kernel->winograd_gradient(du + (c - item->inputs.begin) * PANEL,
                                               v + c / PANEL * k->v.panel, d + n * k->d.panel,
                                               k->count, panel_width(item->inputs.end, c), add);
        du += WINOGRAD_POINTS * du_point(k->in.channels);
    }
}

/* du[panel][point][input][16] over the tiles of the wave. */
static void sum_points(float *du, const struct gradient_work *k, const struct item *item)
{
    for (int64_t x = 0; x < WINOGRAD_POINTS; x++, du += du_point(k->in.channels)) {
        const struct winograd_share s = winograd_share(k->points, x);
        for (int64_t i = s.first; i < s.first + s.count; i++)
            sum_tiles(du, k, item, i, i > s.first);
    }
}

/* From the sums to the gradient. */
static void transform_sums(const struct gradient_work *k, const float *du, const struct item *item)
{
    void (*const transform)(float *, int64_t, const float *, int64_t, int64_t, int64_t, bool) =
        k->points == STRIDED_POINTS ? k->pass->kernel->strided_weight_gradient
                                    : k->pass->kernel->winograd_weight_gradient;
    const int64_t channels = k->in.channels, first = item->inputs.begin;

    for (int64_t n = item->panels.begin; n < item->panels.end; n++) {
        const int64_t width = panel_width(k->out.channels, n * PANEL);
        float *dw = k->pass->gradients[0] + n * PANEL * TAPS * channels + first * width;
        transform(dw, channels * width, du, du_point(channels), item->inputs.end - first, width,
                  k->first > 0);
        du += WINOGRAD_POINTS * du_point(channels);
    }
}

static void compute_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct gradient_work *k = context;
    float *du = layer_scratch(k->pass, thread);

    for (int64_t i = begin; i < end; i++) {
        const struct item item = item_of(k, i);
        sum_points(du, k, &item);
        transform_sums(k, du, &item);
    }
}

static int64_t items_of(const struct conv_geometry *g)
{
    return (winograd_panels(g->out_channels) + PAIR - 1) / PAIR * groups_of(g->channels);
}

static int64_t gradient_wave(const struct conv_geometry *g)
{
    const int64_t most = WAVE_FLOATS / (g->channels + g->out_channels) / WAVE_STEP * WAVE_STEP;
    const int64_t tiles = at_most(at_least(most, WAVE_MIN), WAVE_MAX);

    return is_strided(g) ? tiles / 2 : tiles; /* they have twice as many points */
}

static void winograd_back_weights(const struct layer_pass *p)
{
    const struct conv_geometry g = conv2d_geometry(p->layer);
    const int64_t wave = gradient_wave(&g);
    struct gradient_work k = {
        .pass = p,
        .points = points_of(&g),
        .in = input_plane(&g),
        .out = output_plane(&g),
        .inputs = p->scratch_shared,
    };
    int64_t tiles;

    k.tiling = winograd_tiling_of(&k.out);
    tiles = p->batch * k.tiling.rows * k.tiling.columns;
    k.v = winograd_strides_of(g.channels, at_most(wave, tiles));
    k.d = winograd_strides_of(g.out_channels, at_most(wave, tiles));
    k.gradients = k.inputs + k.points * k.v.point;
    for (; k.first < tiles; k.first += wave) {
        k.count = at_most(wave, tiles - k.first);
        layer_share(p, k.count, transform_both, &k);
        layer_share(p, items_of(&g), compute_items, &k);
    }
}

/* --- the plan --- */

static void winograd_plan(struct layer *l, const struct conv_geometry *g)
{
    const int64_t in = g->channels, out = g->out_channels, wave = gradient_wave(g);
    const int64_t points = points_of(g);
    const int64_t by_weights =
        winograd_strides_of(in, wave).point + winograd_strides_of(out, wave).point;

    l->scratch_shared_fixed +=
        at_least(points * by_weights, at_least(winograd_shared_floats(points, in, out),
                                               winograd_shared_floats(points, out, in)));
    l->scratch_per_thread += at_least(
        PAIR * WINOGRAD_POINTS * du_point(in),
        at_least(winograd_thread_floats(points, in, out), winograd_thread_floats(points, out, in)));
}

static bool is_for_tiles(const struct conv_geometry *g)
{
    return g->kernel == 3 && g->pad <= 2 && g->out_height >= WINOGRAD_TILE &&
           g->out_width >= WINOGRAD_TILE && g->channels >= PANEL && g->out_channels >= PANEL;
}

static bool winograd_applies(const struct conv_geometry *g)
{
    return g->stride == 1 && is_for_tiles(g);
}

/* Tiles that are less than three quarters full take about as long as a direct convolution. */
static bool strided_applies(const struct conv_geometry *g)
{
    const struct winograd_plane out = output_plane(g);
    const struct winograd_tiling t = winograd_tiling_of(&out);

    return g->stride == 2 && is_for_tiles(g) &&
           4 * g->positions >= 3 * WINOGRAD_TILE * WINOGRAD_TILE * t.rows * t.columns;
}

const struct conv_method conv_winograd = {
    .name = "winograd",
    .applies = winograd_applies,
    .plan = winograd_plan,
    .forward = winograd_forward,
    .back_data = winograd_back_data,
    .back_weights = winograd_back_weights,
    .adds_input = true,
};

const struct conv_method conv_strided = {
    .name = "strided winograd",
    .applies = strided_applies,
    .plan = winograd_plan,
    .forward = winograd_forward,
    .back_data = winograd_back_data,
    .back_weights = winograd_back_weights,
    .adds_input = true,
};
