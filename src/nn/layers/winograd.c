/*
 * winograd.c - convolutions by Winograd, from the images to the products; see winograd.h.
 *
 * Where the weights are few, they are transformed once for the batch; then each thread takes blocks
 * of tiles, transforms them, and multiplies them with one panel of weights after the other. A
 * block's tiles and its products with a panel stay in the second-level cache.
 *
 * Deep convolutions have weights that no cache holds once they are transformed, being four times as
 * many, and few tiles. So tiles go in waves: the team transforms the wave's tiles, each thread some
 * of them; then each thread takes some items (panel of outputs, block of tiles): it transforms the
 * panel's weights, a part at a time, and multiplies. A wave's tiles stay in the third-level cache,
 * an item's weights and products in the second.
 *
 * Waves and blocks depend on the shape alone, and every element on its own tile only, so that bits
 * do not depend on the threads.
 */
#include "nn/layers/winograd.h"

#include <string.h>

enum {
    SHALLOW = 128 * 128,  /* weights of a tap up to which all are transformed at once */
    BLOCK_FLOATS = 98304, /* of a block's tiles, all points: 384 KB */
    BLOCK_MIN = 24,       /* tiles */
    BLOCK_MAX = 96,
    WAVE_FLOATS = 32768, /* of one point of a wave: 4.7 MB for all 36 */
    WAVE_MIN = 64,
    WAVE_MAX = 512,
    DEPTH = 128,      /* inputs whose weights are transformed at once: 300 KB */
    DEEP_BLOCK = 128, /* tiles that are multiplied at once */
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

/* --- tiles --- */

struct winograd_tiling winograd_tiling_of(const struct winograd_plane *p)
{
    return (struct winograd_tiling){
        .rows = (p->height + p->pad + p->step - 1) / p->step,
        .columns = (p->width + p->pad + p->step - 1) / p->step,
    };
}

static struct winograd_tile place_of(const struct winograd_tiling *t, int64_t tile)
{
    return (struct winograd_tile){
        .image = tile / (t->rows * t->columns),
        .row = tile / t->columns % t->rows,
        .column = tile % t->columns,
    };
}

static void step_on(struct winograd_tile *p, const struct winograd_tiling *t)
{
    if (++p->column < t->columns)
        return;
    p->column = 0;
    if (++p->row < t->rows)
        return;
    p->row = 0;
    p->image++;
}

struct winograd_walk winograd_walk_from(const struct winograd_plane *p,
                                        const struct winograd_tiling *t, int64_t tile,
                                        int64_t distance)
{
    return (struct winograd_walk){p, t, place_of(t, tile), place_of(t, tile + distance)};
}

/* The pixels of a tile; answers where its first pixel inside lies. */
static int64_t window_of(struct winograd_window *w, const struct winograd_plane *p,
                         struct winograd_tile at)
{
    const int64_t y = at.row * p->step - p->pad, x = at.column * p->step - p->pad;

    *w = (struct winograd_window){
        .row = p->width * p->channels,
        .pixel = p->channels,
        .top = at_least(0, -y),
        .bottom = at_most(p->size, p->height - y),
        .left = at_least(0, -x),
        .right = at_most(p->size, p->width - x),
    };
    return ((at.image * p->height + y + w->top) * p->width + x + w->left) * p->channels;
}

int64_t winograd_walk_next(struct winograd_walk *k, struct winograd_window *w)
{
    const struct winograd_plane *p = k->plane;
    const bool beside = k->ahead.column == k->here.column + 1;
    const int64_t shared = beside ? p->size - p->step : 0; /* columns that both tiles have */
    struct winograd_window later;
    const int64_t then = window_of(&later, p, k->ahead), now = window_of(w, p, k->here);

    w->ahead = (struct winograd_ahead){
        .first = then + shared * p->channels - now,
        .rows = later.bottom - later.top,
        .columns = later.right - later.left - shared,
    };
    step_on(&k->here, k->tiling);
    step_on(&k->ahead, k->tiling);
    return now;
}

struct winograd_strides winograd_strides_of(int64_t channels, int64_t count)
{
    return (struct winograd_strides){
        .point = winograd_stride(winograd_panels(channels) * count * PANEL),
        .panel = count * PANEL,
    };
}

static int64_t tiles_of(const struct winograd *k)
{
    return k->pass->batch * k->tiling.rows * k->tiling.columns;
}

/* The tiles first .. first+count-1 into v. */
static void transform_tiles(const struct winograd *k, float *v, const struct winograd_strides *s,
                            struct item_range tiles)
{
    struct winograd_walk walk = winograd_walk_from(&k->in, &k->tiling, tiles.begin, 1);

    for (int64_t i = tiles.begin; i < tiles.end; i++, v += PANEL) {
        struct winograd_window w;
        const int64_t at = winograd_walk_next(&walk, &w);
        k->way.tile(v, s, k->from + at, &w, k->in.channels);
    }
}

/* --- weights --- */

/* Asks for 16 rows of weights: those of a rotated kernel lie in pieces as short as that. */
static void prefetch_square(const float *w)
{
    for (int64_t i = 0; i < PANEL; i++)
        __builtin_prefetch(w + i * PANEL);
}

/* The rows first .. first+15 or less of a panel of outputs, [tap][row][16]; of the rotated kernel
 * an input of the layer is the output. */
static void gather_weights(float *square, const struct winograd *k, int64_t panel, int64_t first)
{
    const int64_t inputs = k->is_rotated ? k->out.channels : k->in.channels;
    const int64_t outputs = k->is_rotated ? k->in.channels : k->out.channels;
    const int64_t n = k->is_rotated ? first : panel * PANEL; /* the layer's output, input */
    const int64_t c = k->is_rotated ? panel * PANEL : first;
    const int64_t width = panel_width(outputs, n), height = panel_width(inputs, c);

    for (int64_t tap = 0; tap < TAPS; tap++, square += SQUARE) {
        const float *from = k->weights + n * TAPS * inputs + (tap * inputs + c) * width;
        if (k->is_rotated && height == PANEL) {
            prefetch_square(from + PANEL * TAPS * inputs);
            k->pass->kernel->panel_transpose(square, from, PANEL, width);
            continue;
        }
        memset(square, 0, SQUARE * sizeof *square);
        for (int64_t i = 0; i < height; i++)
            for (int64_t j = 0; j < width; j++)
                square[k->is_rotated ? j * PANEL + i : i * PANEL + j] = from[i * width + j];
    }
}

/* The transformed weights of one panel of outputs and some inputs, points `point` floats apart. */
static void transform_weights(float *u, int64_t point, const struct winograd *k, int64_t panel,
                              struct item_range inputs)
{
    float square[TAPS * SQUARE];

    if (!k->is_rotated && panel_width(k->out.channels, panel * PANEL) == PANEL) {
        const float *from = k->weights + panel * PANEL * TAPS * k->in.channels;
        k->way.weights(u, point, from + inputs.begin * PANEL, k->in.channels * PANEL,
                       inputs.end - inputs.begin);
        return;
    }
    for (int64_t c = inputs.begin; c < inputs.end; c += PANEL) {
        const int64_t rows = panel_width(inputs.end, c);
        float *to = u + (c - inputs.begin) * PANEL;
        gather_weights(square, k, panel, c);
        if (k->is_rotated)
            k->way.weights(to, point, square + (TAPS - 1) * SQUARE, -SQUARE, rows);
        else
            k->way.weights(to, point, square, SQUARE, rows);
    }
}

/* --- products --- */

/* Some tiles, and some of their channels. */
struct products {
    const float *v;
    const struct winograd_strides *strides;
    int64_t u_point;
    int64_t tiles, channels;
    bool add; /* to what is there */
};

/* Tiles times weights, at all points. */
static void multiply_panel(const struct winograd *k, float *m, const float *u,
                           const struct products *p)
{
    for (int64_t x = 0; x < WINOGRAD_POINTS; x++, u += p->u_point) {
        const struct winograd_share s = winograd_share(k->way.points, x);
        for (int64_t i = s.first; i < s.first + s.count; i++)
            k->pass->kernel->winograd_product(m + i * k->m_point, p->v + i * p->strides->point,
                                              p->strides->panel, u, p->tiles, p->channels, p->add);
    }
}

/* --- few weights --- */

static bool is_shallow(int64_t inputs, int64_t outputs)
{
    return inputs * outputs <= SHALLOW;
}

/* Tiles of a block. */
static int64_t block_of(int64_t points, int64_t inputs)
{
    const int64_t tiles = BLOCK_FLOATS / points / (winograd_panels(inputs) * PANEL);

    return at_most(at_least(tiles / BLOCK_MIN * BLOCK_MIN, BLOCK_MIN), BLOCK_MAX);
}

static int64_t u_point(int64_t inputs)
{
    return winograd_stride(inputs * PANEL);
}

static void transform_panels(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct winograd *k = context;
    const int64_t inputs = k->in.channels, point = u_point(inputs);

    (void)thread;
    for (int64_t panel = begin; panel < end; panel++)
        transform_weights(k->pass->scratch_shared + panel * WINOGRAD_POINTS * point, point, k,
                          panel, (struct item_range){0, inputs});
}

static void multiply_blocks(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct winograd *k = context;
    const int64_t inputs = k->in.channels, block = block_of(k->way.points, inputs);
    const struct winograd_strides s = winograd_strides_of(inputs, block);
    float *v = layer_scratch(k->pass, thread), *m = v + k->way.points * s.point;

    for (int64_t i = begin; i < end; i++) {
        const struct item_range tiles = {i * block, at_most((i + 1) * block, tiles_of(k))};
        const struct products p = {v, &s, u_point(inputs), tiles.end - tiles.begin, inputs, false};
        const float *u = k->pass->scratch_shared;
        transform_tiles(k, v, &s, tiles);
        for (int64_t panel = 0; panel < winograd_panels(k->out.channels); panel++) {
            multiply_panel(k, m, u + panel * WINOGRAD_POINTS * p.u_point, &p);
            k->finish(k, m, panel, tiles);
        }
    }
}

static void convolve_shallow(struct winograd *k)
{
    const int64_t block = block_of(k->way.points, k->in.channels);

    k->m_point = winograd_stride(block * PANEL);
    layer_split(k->pass, winograd_panels(k->out.channels), transform_panels, k);
    layer_share(k->pass, (tiles_of(k) + block - 1) / block, multiply_blocks, k);
}

/* --- many weights --- */

/* Tiles in a wave. */
static int64_t wave_of(int64_t inputs)
{
    return at_most(at_least(WAVE_FLOATS / inputs / WAVE_MIN * WAVE_MIN, WAVE_MIN), WAVE_MAX);
}

/* Of a wave's tiles, without gaps where the batch has fewer. */
static struct winograd_strides wave_strides(const struct winograd *k)
{
    return winograd_strides_of(k->in.channels, at_most(wave_of(k->in.channels), tiles_of(k)));
}

static void transform_wave(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct winograd *k = context;
    const struct winograd_strides s = wave_strides(k);

    (void)thread;
    transform_tiles(k, k->pass->scratch_shared + begin * PANEL, &s,
                    (struct item_range){k->first + begin, k->first + end});
}

static int64_t blocks_of(const struct winograd *k)
{
    return (k->count + DEEP_BLOCK - 1) / DEEP_BLOCK;
}

/* The products of some of the wave's tiles with the weights of some inputs. */
static void multiply_part(const struct winograd *k, float *m, const float *u,
                          struct item_range tiles, struct item_range inputs)
{
    const struct winograd_strides s = wave_strides(k);
    const struct products p = {
        .v = k->pass->scratch_shared + inputs.begin / PANEL * s.panel + tiles.begin * PANEL,
        .strides = &s,
        .u_point = u_point(DEPTH),
        .tiles = tiles.end - tiles.begin,
        .channels = inputs.end - inputs.begin,
        .add = inputs.begin > 0,
    };

    multiply_panel(k, m, u, &p);
}

static void multiply_items(const void *context, int thread, int64_t begin, int64_t end)
{
    const struct winograd *k = context;
    float *u = layer_scratch(k->pass, thread), *m = u + WINOGRAD_POINTS * u_point(DEPTH);

    for (int64_t item = begin; item < end; item++) {
        const int64_t panel = item / blocks_of(k), first = item % blocks_of(k) * DEEP_BLOCK;
        const struct item_range tiles = {first, at_most(first + DEEP_BLOCK, k->count)};
        for (int64_t c = 0; c < k->in.channels; c += DEPTH) {
            const struct item_range inputs = {c, at_most(c + DEPTH, k->in.channels)};
            transform_weights(u, u_point(DEPTH), k, panel, inputs);
            multiply_part(k, m, u, tiles, inputs);
        }
        k->finish(k, m, panel, (struct item_range){k->first + tiles.begin, k->first + tiles.end});
    }
}

static void convolve_deep(struct winograd *k)
{
    const int64_t tiles = tiles_of(k), wave = wave_of(k->in.channels);

    k->m_point = winograd_stride(DEEP_BLOCK * PANEL);
    for (k->first = 0; k->first < tiles; k->first += wave) {
        k->count = at_most(wave, tiles - k->first);
        layer_share(k->pass, k->count, transform_wave, k);
        layer_share(k->pass, winograd_panels(k->out.channels) * blocks_of(k), multiply_items, k);
    }
}

/* --- both --- */

void winograd_convolve(struct winograd *k)
{
    if (is_shallow(k->in.channels, k->out.channels))
        convolve_shallow(k);
    else
        convolve_deep(k);
}

int64_t winograd_shared_floats(int64_t points, int64_t inputs, int64_t outputs)
{
    if (is_shallow(inputs, outputs))
        return winograd_panels(outputs) * WINOGRAD_POINTS * u_point(inputs);
    return points * winograd_strides_of(inputs, wave_of(inputs)).point;
}

int64_t winograd_thread_floats(int64_t points, int64_t inputs, int64_t outputs)
{
    const int64_t block = block_of(points, inputs);

    if (is_shallow(inputs, outputs))
        return points * (winograd_strides_of(inputs, block).point + winograd_stride(block * PANEL));
    return WINOGRAD_POINTS * u_point(DEPTH) + points * winograd_stride(DEEP_BLOCK * PANEL);
}
