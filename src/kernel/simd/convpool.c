/*
 * convpool.c - convolution, max pooling and ReLU of one image, channel-last.
 *
 * Lanes are output channels. For a row of outputs the convolution's rows below it are computed in
 * tiles of positions into a strip that stays in the first-level cache, and pooled from there.
 * Positions that no pooling window covers are never computed. A last tile that would stand out is
 * moved back: it computes some positions again, to the same bits.
 *
 * Register budget: positions x vectors <= 12 sums (14 with one vector), the vectors of the weights,
 * one broadcast: 16 with AVX2. With 4 lanes the weights are operands in memory.
 */
#include <assert.h>

#include "kernel/simd/best.h"
#include "kernel/simd/functions.h"

enum {
    VECTORS_MAX = PANEL / LANES,
    NARROW_COLUMNS = LANES == 16 ? PANEL : 8,
    SUMS_MAX = 14,
};

/* A tile's form, always constant; channels is 0 where it is not. */
struct tile {
    int positions, vectors, channels;
};

/* One panel of weights, padded to whole vectors, and what it is applied to. */
struct filter {
    const struct convpool_shape *shape;
    const float *weights; /* [kernel * run][width] */
    int64_t width;        /* lanes: a multiple of LANES */
    float bias[PANEL];
};

/* to[position][width] = bias + the windows at x, x + channels, ... */
INLINE void convolve_tile(struct tile t, float *to, const float *x, const struct filter *f)
{
    const struct convpool_shape *s = f->shape;
    const int64_t channels = t.channels != 0 ? t.channels : s->channels;
    const int64_t run = convpool_run(s);
    const float *w = f->weights;
    vec c[SUMS_MAX][VECTORS_MAX];

    for (int i = 0; i < t.positions; i++)
        for (int v = 0; v < t.vectors; v++)
            c[i][v] = vec_load(f->bias + v * LANES);
    for (int64_t y = 0; y < s->kernel; y++, x += s->row) {
#pragma GCC unroll 1
        for (int64_t q = 0; q < run; q++, w += t.vectors * LANES) {
            const float *from = x + q;
            vec ww[VECTORS_MAX];
            OPAQUE(from);
#pragma GCC unroll 4
            for (int v = 0; v < t.vectors; v++)
                ww[v] = vec_load(w + v * LANES);
#pragma GCC unroll 14
            for (int i = 0; i < t.positions; i++) {
                const float a = from[i * channels];
#pragma GCC unroll 4
                for (int v = 0; v < t.vectors; v++)
                    c[i][v] += a * ww[v];
            }
        }
    }
    for (int i = 0; i < t.positions; i++)
        for (int v = 0; v < t.vectors; v++)
            vec_store(to + (i * t.vectors + v) * LANES, c[i][v]);
}

INLINE void convolve_row(struct tile t, float *to, const float *x, const struct filter *f)
{
    const struct convpool_shape *s = f->shape;
    const int64_t count = s->out_width * s->pool, last = count - t.positions;

    for (int64_t i = 0;; i += t.positions) {
        const int64_t at = i < last ? i : last;
        convolve_tile(t, to + at * f->width, x + at * s->channels, f);
        if (i >= last)
            return;
    }
}

/* Each form is a function: kind, positions, vectors, channels. */
#define FORM_FUNCTION(kind, n, v, c)                                          \
    static void kind##_##n(float *to, const float *x, const struct filter *f) \
    {                                                                         \
        convolve_row((struct tile){(n), (v), (c)}, to, x, f);                 \
    }
#define FORM_ENTRY(kind, n, v, c) [n] = kind##_##n,

/* clang-format off */
#define UP_TO_1(X, k, v, c) X(k, 1, v, c)
#define UP_TO_3(X, k, v, c) X(k, 1, v, c) X(k, 2, v, c) X(k, 3, v, c)
#define UP_TO_6(X, k, v, c) UP_TO_3(X, k, v, c) X(k, 4, v, c) X(k, 5, v, c) X(k, 6, v, c)
#define UP_TO_14(X, k, v, c) UP_TO_6(X, k, v, c) X(k, 7, v, c) X(k, 8, v, c) X(k, 9, v, c) \
    X(k, 10, v, c) X(k, 11, v, c) X(k, 12, v, c) X(k, 13, v, c) X(k, 14, v, c)
/* clang-format on */

/* Filters of 16 columns, and of 8; over one channel, and over any number. */
#if LANES == 16
enum { WIDE_MOST = 14, NARROW_MOST = 1 };
#define WIDE   UP_TO_14
#define NARROW UP_TO_1
#elif LANES == 8
enum { WIDE_MOST = 6, NARROW_MOST = 14 };
#define WIDE   UP_TO_6
#define NARROW UP_TO_14
#else
enum { WIDE_MOST = 3, NARROW_MOST = 6 };
#define WIDE   UP_TO_3
#define NARROW UP_TO_6
#endif
#define WIDE_PLANE_FORMS(X)   WIDE(X, wide_plane, PANEL / LANES, 1)
#define WIDE_FORMS(X)         WIDE(X, wide, PANEL / LANES, 0)
#define NARROW_PLANE_FORMS(X) NARROW(X, narrow_plane, NARROW_COLUMNS / LANES, 1)
#define NARROW_FORMS(X)       NARROW(X, narrow, NARROW_COLUMNS / LANES, 0)

WIDE_PLANE_FORMS(FORM_FUNCTION)
WIDE_FORMS(FORM_FUNCTION)
NARROW_PLANE_FORMS(FORM_FUNCTION)
NARROW_FORMS(FORM_FUNCTION)

/* One row of the convolution: all positions that pooling looks at. */
typedef void convolve_function(float *to, const float *x, const struct filter *f);

/* The size of tiles that computes least; a third fewer sums than fit still fill the pipeline. */
static int64_t tile_positions(int64_t count, int64_t most)
{
    int64_t best = count < most ? count : most;

    for (int64_t n = best - 1; n >= (2 * most + 2) / 3; n--)
        if ((count + n - 1) / n * n < (count + best - 1) / best * best)
            best = n;
    return best;
}

static convolve_function *choose_form(const struct filter *f)
{
    static convolve_function *const wide[2][WIDE_MOST + 1] = {
        {WIDE_FORMS(FORM_ENTRY)},
        {WIDE_PLANE_FORMS(FORM_ENTRY)},
    };
    static convolve_function *const narrow[2][NARROW_MOST + 1] = {
        {NARROW_FORMS(FORM_ENTRY)},
        {NARROW_PLANE_FORMS(FORM_ENTRY)},
    };
    const int64_t count = f->shape->out_width * f->shape->pool;
    const bool is_plane = f->shape->channels == 1;

    return f->width == PANEL ? wide[is_plane][tile_positions(count, WIDE_MOST)]
                             : narrow[is_plane][tile_positions(count, NARROW_MOST)];
}

/* --- pooling --- */

/* The strip below one row of outputs, and where they go. */
struct pooling {
    const struct filter *filter;
    const float *strip;
    float *y;       /* of the row, from the panel's first column on */
    int32_t *where; /* the same, or NULL */
    int64_t origin; /* offset of the first window in the image */
    int64_t panel;  /* columns that count */
    int64_t behind; /* numbers from y on that may be written, if they are written again later */
    int32_t codes[CONVPOOL_SLOTS_MAX]; /* what a slot adds to the first one's place */
};

INLINE void store_lanes(const struct pooling *p, int64_t at, int64_t n, vec most, ivec place)
{
    if (n >= LANES || at + LANES <= p->behind) {
        vec_store(p->y + at, most);
        if (p->where != NULL)
            *(ivec_memory *)(p->where + at) = place;
        return;
    }
    vec_store_few(p->y + at, most, n);
    if (p->where != NULL)
        copy_few(p->where + at, &place, n & (LANES - 1));
}

/* A vector of channels: the largest of the window, the first of equals, NaN before all. */
INLINE void pool_window(const struct pooling *p, int64_t pool, bool relu, int64_t x, int64_t lane)
{
    const struct convpool_shape *s = p->filter->shape;
    const int64_t width = p->filter->width, strip_row = s->out_width * pool * width;
    const float *from = p->strip + x * pool * width + lane;
    const int64_t first = (p->origin + x * pool * s->channels) << CONVPOOL_SLOT_BITS;
    struct best b = {vec_load(from), {0}};

    for (int64_t slot = 1; slot < pool * pool; slot++)
        best_take(&b, vec_load(from + slot / pool * strip_row + slot % pool * width),
                  p->codes[slot] - (ivec){0});
    b.place += (int32_t)first;
    if (relu)
        best_relu(&b, INT32_MIN);
    store_lanes(p, x * s->outputs + lane, p->panel - lane, b.value, b.place);
}

INLINE void pool_row(const struct pooling *p, int64_t pool, bool relu)
{
    for (int64_t x = 0; x < p->filter->shape->out_width; x++)
        for (int64_t lane = 0; lane < p->panel; lane += LANES)
            pool_window(p, pool, relu, x, lane);
}

/* Pools of 2 are most of all there are. */
static void pool_strip(const struct pooling *p)
{
    const struct convpool_shape *s = p->filter->shape;

    if (s->pool == 2 && s->relu)
        pool_row(p, 2, true);
    else if (s->pool == 2)
        pool_row(p, 2, false);
    else
        pool_row(p, s->pool, s->relu);
}

/* The convolution's rows below one row of outputs, which begin at x: one by one, or as a pair if
 * there is no way for one. */
static void convolve_strip(convolve_function *convolve, float *strip, const float *x,
                           const struct filter *f)
{
    const struct convpool_shape *s = f->shape;
    const int64_t strip_row = s->out_width * s->pool * f->width;

    if (convolve == NULL) {
        const struct convpool_pair pair = {f->weights, f->bias, f->width, strip + 2 * strip_row};
        KERNEL(convpool_pair)(strip, x, &pair, s);
        return;
    }
    for (int64_t r = 0; r < s->pool; r++)
        convolve(strip + r * strip_row, x + r * s->row, f);
}

/* All rows of one panel, whose first column is n. */
static void convolve_panel(float *y, int32_t *where, const float *x, float *strip,
                           const struct filter *f, int64_t n)
{
    const struct convpool_shape *s = f->shape;
    const int64_t row = s->out_width * s->outputs;
    convolve_function *const convolve = s->pairs ? NULL : choose_form(f);
    struct pooling p = {.filter = f, .strip = strip, .panel = panel_width(s->outputs, n)};

    for (int64_t slot = 0; slot < s->pool * s->pool; slot++)
        p.codes[slot] = (int32_t)((slot / s->pool * s->row + slot % s->pool * s->channels)
                                      << CONVPOOL_SLOT_BITS |
                                  slot);
    for (int64_t oy = 0; oy < s->out_height; oy++) {
        p.origin = oy * s->pool * s->row;
        convolve_strip(convolve, strip, x + p.origin, f);
        p.y = y + oy * row + n;
        p.where = where == NULL ? NULL : where + oy * row + n;
        p.behind = s->outputs <= PANEL ? (s->out_height - oy) * row : 0;
        pool_strip(&p);
    }
}

/* What the panel from column `first` on is padded to. */
static int64_t columns_of(int64_t outputs, int64_t first)
{
    return (panel_width(outputs, first) + NARROW_COLUMNS - 1) / NARROW_COLUMNS * NARROW_COLUMNS;
}

void KERNEL(convpool)(float *y, int32_t *where, const float *x, const float *w, const float *bias,
                      float *strip, const struct convpool_shape *s)
{
    const int64_t k = convpool_weight_rows(s);
    struct filter f = {.shape = s};

    if (KERNEL(convpool_few_pays)(s, columns_of(s->outputs, 0))) {
        const struct convpool_few few = {w, bias, columns_of(s->outputs, 0), strip};
        KERNEL(convpool_few)(y, where, x, &few, s);
        return;
    }
    assert(s->out_width >= 1 && s->pool * s->pool <= CONVPOOL_SLOTS_MAX);
    for (int64_t n = 0; n < s->outputs; n += PANEL) {
        f.weights = w + n * k;
        f.width = columns_of(s->outputs, n);
        memset(f.bias, 0, sizeof f.bias);
        if (bias != NULL)
            memcpy(f.bias, bias + n, (size_t)panel_width(s->outputs, n) * sizeof *bias);
        convolve_panel(y, where, x, strip, &f, n);
    }
}

void KERNEL(convpool_weights)(float *padded, const float *w, const struct convpool_shape *s)
{
    const int64_t k = s->kernel * convpool_run(s);

    for (int64_t n = 0; n < s->outputs; n += PANEL) {
        const int64_t width = panel_width(s->outputs, n);
        const int64_t columns = columns_of(s->outputs, n);
        const float *from = w + n * k;
        float *to = padded + n * convpool_weight_rows(s);
        if (s->pairs) {
            KERNEL(convpool_pair_weights)(to, from, convpool_run(s), width, columns);
            continue;
        }
        if (width == columns) {
            memcpy(to, from, (size_t)(k * width) * sizeof *to);
            continue;
        }
        memset(to, 0, (size_t)(k * columns) * sizeof *to);
        for (int64_t i = 0; i < k; i++)
            copy_few(to + i * columns, from + i * width, width);
    }
}
