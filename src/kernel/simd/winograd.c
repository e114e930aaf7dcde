/*
 * winograd.c - Winograd F(4x4,3x3): the transforms of images (winograd.h).
 *
 *            | 1  1  1  1  1  0 |
 *      A^T = | 0  1 -1  2 -2  0 |
 *            | 0  1  1  4  4  0 |
 *            | 0  1 -1  8 -8  1 |
 *
 * B^T is in points.h.
 *
 * A transform takes one vector of channels at a time through all pixels or points of a tile. The
 * values between its two directions, up to 36 vectors, are on the stack: more than there are
 * registers, and in the first-level cache.
 *
 * Not here: stride 2 (winograd_strided.c), weights (winograd_weights.c), products
 * (winograd_product.c).
 */
#include <assert.h>

#include "kernel/simd/best.h"
#include "kernel/simd/functions.h"
#include "kernel/simd/points.h"
#include "kernel/simd/window.h"

enum { T4 = WINOGRAD_TILE, P6 = WINOGRAD_PATCH };

/* --- the matrices, along one direction: `from` has elements `step` apart --- */

/* A^T m */
INLINE void points_to_tile(vec o[T4], const vec *m, int step)
{
    const vec m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step];
    const vec a = m1 + m2, b = m1 - m2, c = m3 + m4, d = m3 - m4;

    o[0] = m[0] + a + c;
    o[1] = b + 2.0F * d;
    o[2] = a + 4.0F * c;
    o[3] = b + 8.0F * d + m[5 * step];
}

/* A y */
INLINE void tile_to_points(vec o[P6], const vec *y, int step)
{
    const vec y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
    const vec a = y0 + y2, b = y1 + y3, c = y0 + 4.0F * y2, d = 2.0F * y1 + 8.0F * y3;

    o[0] = y0;
    o[1] = a + b;
    o[2] = a - b;
    o[3] = c + d;
    o[4] = c - d;
    o[5] = y3;
}

/* --- tiles of images --- */

INLINE void input_vector(float *v, int64_t point, const float *x, const struct winograd_window *w,
                         const bool whole, int64_t channels)
{
    vec t[P6 * P6], d[P6], o[P6];

#pragma GCC unroll 6
    for (int i = 0; i < P6; i++) {
        if (whole)
            load_whole_row(d, x, w, P6, i);
        else
            load_row(d, x, w, P6, i, channels);
        patch_to_points(t + i * P6, d, 1);
    }
#pragma GCC unroll 6
    for (int j = 0; j < P6; j++) {
        patch_to_points(o, t + j, P6);
#pragma GCC unroll 6
        for (int i = 0; i < P6; i++)
            vec_store(v + (i * P6 + j) * point, o[i]);
    }
}

void KERNEL(winograd_input)(float *v, const struct winograd_strides *s, const float *x,
                            const struct winograd_window *w, int64_t channels)
{
    const bool whole = is_whole(w, P6);

    for (int64_t c = 0; c < channels; c += LANES) {
        float *to = v + c / PANEL * s->panel + c % PANEL;
        if (c % PANEL == 0)
            prefetch_read(x + c, w);
        if (whole && channels - c >= LANES)
            input_vector(to, s->point, x + c, w, true, LANES);
        else
            input_vector(to, s->point, x + c, w, false, channels - c);
    }
}

INLINE void output_gradient_vector(float *d, int64_t point, const float *dy,
                                   const struct winograd_window *w, const bool whole,
                                   int64_t channels)
{
    vec t[T4 * P6], y[T4], o[P6];

#pragma GCC unroll 6
    for (int i = 0; i < T4; i++) {
        if (whole)
            load_whole_row(y, dy, w, T4, i);
        else
            load_row(y, dy, w, T4, i, channels);
        tile_to_points(t + i * P6, y, 1);
    }
#pragma GCC unroll 6
    for (int j = 0; j < P6; j++) {
        tile_to_points(o, t + j, P6);
#pragma GCC unroll 6
        for (int i = 0; i < P6; i++)
            vec_store(d + (i * P6 + j) * point, o[i]);
    }
}

void KERNEL(winograd_output_gradient)(float *d, const struct winograd_strides *s, const float *dy,
                                      const struct winograd_window *w, int64_t channels)
{
    const bool whole = is_whole(w, T4);

    for (int64_t c = 0; c < channels; c += LANES) {
        float *to = d + c / PANEL * s->panel + c % PANEL;
        if (c % PANEL == 0)
            prefetch_read(dy + c, w);
        if (whole && channels - c >= LANES)
            output_gradient_vector(to, s->point, dy + c, w, true, LANES);
        else
            output_gradient_vector(to, s->point, dy + c, w, false, channels - c);
    }
}

INLINE void output_vector(vec y[T4 * T4], const float *m, int64_t point, vec bias)
{
    vec t[T4 * P6], column[P6], o[T4];

#pragma GCC unroll 6
    for (int j = 0; j < P6; j++) {
#pragma GCC unroll 6
        for (int i = 0; i < P6; i++)
            column[i] = vec_load(m + (i * P6 + j) * point);
        points_to_tile(o, column, 1);
#pragma GCC unroll 6
        for (int i = 0; i < T4; i++)
            t[i * P6 + j] = o[i];
    }
#pragma GCC unroll 6
    for (int i = 0; i < T4; i++) {
        points_to_tile(o, t + i * P6, 1);
#pragma GCC unroll 6
        for (int j = 0; j < T4; j++)
            y[i * T4 + j] = o[j] + bias;
    }
}

/* The pixels inside of a tile, of which n channels are left. */
INLINE void store_inside(float *y, const struct winograd_window *w, const vec tile[T4 * T4],
                         int64_t n, const bool add)
{
    for (int64_t i = w->top; i < w->bottom; i++)
        for (int64_t j = w->left; j < w->right; j++)
            store_pixel(y + offset_of(w, i, j), tile[i * T4 + j], n, add);
}

INLINE void output_tile(float *y, const struct winograd_window *w, const vec tile[T4 * T4],
                        int64_t n, const bool add)
{
    if (!is_whole(w, T4) || n < LANES) {
        store_inside(y, w, tile, n, add);
        return;
    }
    for (int i = 0; i < T4 * T4; i++)
        store_pixel(y + i / T4 * w->row + i % T4 * w->pixel, tile[i], LANES, add);
}

void KERNEL(winograd_output)(float *y, const struct winograd_window *w,
                             const struct winograd_sources *s, int64_t channels)
{
    prefetch_written(y, w);
    for (int64_t c = 0; c < channels; c += LANES) {
        const int64_t n = channels - c;
        vec tile[T4 * T4];
        output_vector(tile, s->m + c, s->point, load_bias(s, c, n));
        if (s->add)
            output_tile(y + c, w, tile, n, true);
        else
            output_tile(y + c, w, tile, n, false);
    }
}

/* --- tiles that are pooled --- */

/* The largest of a window of the tile that begins at (i, j), and its code. */
INLINE struct best largest_of(const struct winograd_pooling *p, const vec tile[T4 * T4],
                              const int pool, int i, int j)
{
    struct best b = {tile[i * T4 + j], {0}};

    for (int s = 1; s < pool * pool; s++) {
        const int64_t offset = s / pool * p->origin_row + s % pool * p->origin_pixel;
        best_take(&b, tile[(i + s / pool) * T4 + j + s % pool],
                  (int32_t)(offset << CONVPOOL_SLOT_BITS | s) - (ivec){0});
    }
    b.place +=
        (int32_t)((p->origin + i * p->origin_row + j * p->origin_pixel) << CONVPOOL_SLOT_BITS);
    return b;
}

/* Channels of one pooled output, of which n are left. */
INLINE void store_pooled(float *y, int32_t *where, struct best b, int64_t n)
{
    if (n >= LANES)
        vec_store(y, b.value);
    else
        vec_store_few(y, b.value, n);
    if (where == NULL)
        return;
    if (n >= LANES)
        *(ivec_memory *)where = b.place;
    else
        copy_few(where, &b.place, n & (LANES - 1));
}

INLINE void pool_tile(float *y, int32_t *where, const struct winograd_pooling *p,
                      const vec tile[T4 * T4], const int pool, int64_t n)
{
    for (int i = 0; i < T4 / pool; i++)
        for (int j = 0; j < T4 / pool; j++) {
            const int64_t at = i * p->row + j * p->pixel;
            if (i >= p->rows || j >= p->columns)
                continue;
            struct best b = largest_of(p, tile, pool, i * pool, j * pool);
            if (p->relu)
                best_relu(&b, INT32_MIN);
            store_pooled(y + at, where == NULL ? NULL : where + at, b, n);
        }
}

void KERNEL(winograd_pool)(float *y, int32_t *where, const struct winograd_pooling *p,
                           const float *m, int64_t point, const float *bias, int64_t channels)
{
    assert(p->pool == 2 || p->pool == T4);
    for (int64_t c = 0; c < channels; c += LANES) {
        const int64_t n = channels - c;
        int32_t *places = where == NULL ? NULL : where + c;
        vec tile[T4 * T4];
        output_vector(tile, m + c, point, bias == NULL ? (vec){0} : load_channels(bias + c, n));
        if (p->pool == 2)
            pool_tile(y + c, places, p, tile, 2, n);
        else
            pool_tile(y + c, places, p, tile, T4, n);
    }
}
