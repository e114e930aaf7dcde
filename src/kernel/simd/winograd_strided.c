/*
 * winograd_strided.c - Winograd of 3x3 kernels with stride 2: the transforms of images
 * (winograd.h).
 *
 * Along one direction a transform has a part for the two outer taps, F(4,2) at the points 0, 1, -1,
 * 2 and infinity, and a part for the middle tap that only moves values:
 *
 *            | 2 -1 -2  1  0 |
 *            | 0 -2 -1  1  0 |         | 1  1  1  1  0 |
 *      B^T = | 0  2 -3  1  0 |   A^T = | 0  1 -1  2  0 |
 *            | 0 -1  0  1  0 |         | 0  1  1  4  0 |
 *            | 0  2 -1 -2  1 |         | 0  1 -1  8  1 |
 *
 * As in winograd.c, one vector of channels goes through a whole tile, and what is between the two
 * directions is on the stack.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/window.h"

enum { T4 = WINOGRAD_TILE, OUTER = 5, P9 = STRIDED_SIDE };

/* --- the matrices --- */

/* B^T d */
INLINE void outer_taps_to_points(vec o[OUTER], const vec *d, int step)
{
    const vec d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], a = d3 - d1, b = d3 - d2;

    o[0] = 2.0F * (d[0] - d2) + a;
    o[1] = b - 2.0F * d1;
    o[2] = b + 2.0F * (d1 - d2);
    o[3] = a;
    o[4] = (d[4 * step] - d2) - 2.0F * a;
}

/* A y */
INLINE void tile_to_points(vec o[OUTER], const vec *y, int step)
{
    const vec y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
    const vec a = y0 + y2, b = y1 + y3;

    o[0] = y0;
    o[1] = a + b;
    o[2] = a - b;
    o[3] = (y0 + 4.0F * y2) + (2.0F * y1 + 8.0F * y3);
    o[4] = y3;
}

/* A^T m */
INLINE void points_to_tile(vec o[T4], const vec m[OUTER])
{
    const vec a = m[1] + m[2], b = m[1] - m[2];

    o[0] = (m[0] + a) + m[3];
    o[1] = b + 2.0F * m[3];
    o[2] = a + 4.0F * m[3];
    o[3] = (b + 8.0F * m[3]) + m[4];
}

/* --- to the points --- */

/* What a window is made of. */
enum window {
    INPUT,           /* 9 pixels, the even ones for the outer taps */
    OUTPUT_GRADIENT, /* 4 pixels, of a product with those */
    GRADIENT,        /* 5 pixels, for the gradient by the input; 4 of them for the middle tap */
};

INLINE int size_of(const enum window kind)
{
    return kind == INPUT ? STRIDED_PATCH : kind == GRADIENT ? STRIDED_GRADIENT : T4;
}

/* One direction; elements of d are `step` apart. */
INLINE void line_to_points(vec o[P9], const vec *d, int step, const enum window kind)
{
    if (kind == INPUT)
        outer_taps_to_points(o, d, 2 * step);
    else if (kind == GRADIENT)
        outer_taps_to_points(o, d, step);
    else
        tile_to_points(o, d, step);
#pragma GCC unroll 9
    for (int i = 0; i < T4; i++)
        o[OUTER + i] = kind == INPUT ? d[(2 * i + 1) * step] : d[i * step];
}

INLINE void vector_to_points(float *v, int64_t point, const float *x,
                             const struct winograd_window *w, const enum window kind,
                             const bool whole, int64_t channels)
{
    vec t[STRIDED_PATCH * P9], d[STRIDED_PATCH], o[P9];

#pragma GCC unroll 9
    for (int i = 0; i < size_of(kind); i++) {
        if (whole)
            load_whole_row(d, x, w, size_of(kind), i);
        else
            load_row(d, x, w, size_of(kind), i, channels);
        line_to_points(t + i * P9, d, 1, kind);
    }
#pragma GCC unroll 9
    for (int j = 0; j < P9; j++) {
        line_to_points(o, t + j, P9, kind);
#pragma GCC unroll 9
        for (int i = 0; i < P9; i++)
            vec_store(v + strided_point(i, j) * point, o[i]);
    }
}

INLINE void to_points(float *v, const struct winograd_strides *s, const float *x,
                      const struct winograd_window *w, int64_t channels, const enum window kind)
{
    const bool whole = is_whole(w, size_of(kind));

    for (int64_t c = 0; c < channels; c += LANES) {
        float *to = v + c / PANEL * s->panel + c % PANEL;
        if (c % PANEL == 0)
            prefetch_read(x + c, w);
        if (whole && channels - c >= LANES)
            vector_to_points(to, s->point, x + c, w, kind, true, LANES);
        else
            vector_to_points(to, s->point, x + c, w, kind, false, channels - c);
    }
}

void KERNEL(strided_input)(float *v, const struct winograd_strides *s, const float *x,
                           const struct winograd_window *w, int64_t channels)
{
    to_points(v, s, x, w, channels, INPUT);
}

void KERNEL(strided_output_gradient)(float *d, const struct winograd_strides *s, const float *dy,
                                     const struct winograd_window *w, int64_t channels)
{
    to_points(d, s, dy, w, channels, OUTPUT_GRADIENT);
}

void KERNEL(strided_gradient)(float *v, const struct winograd_strides *s, const float *dy,
                              const struct winograd_window *w, int64_t channels)
{
    to_points(v, s, dy, w, channels, GRADIENT);
}

/* --- from the points --- */

/* One direction, to 4 outputs, or to the 8 inputs that the phases are put together to. */
INLINE void line_from_points(vec *o, const vec m[P9], const int size)
{
    vec outer[T4];

    points_to_tile(outer, m);
#pragma GCC unroll 9
    for (int i = 0; i < T4; i++)
        if (size == T4) {
            o[i] = outer[i] + m[OUTER + i];
        } else {
            o[2 * i] = m[OUTER + i];
            o[2 * i + 1] = outer[i];
        }
}

/* What is between the directions: `size` rows of 9 points. */
INLINE void columns_from_points(vec *t, const float *m, int64_t point, const int size)
{
    vec column[P9], o[2 * T4];

#pragma GCC unroll 9
    for (int j = 0; j < P9; j++) {
#pragma GCC unroll 9
        for (int i = 0; i < P9; i++)
            column[i] = vec_load(m + strided_point(i, j) * point);
        line_from_points(o, column, size);
#pragma GCC unroll 9
        for (int i = 0; i < size; i++)
            t[i * P9 + j] = o[i];
    }
}

/* The columns inside of one row. */
INLINE void store_row(float *y, const struct winograd_window *w, const vec *o, int64_t n,
                      const bool add)
{
    for (int64_t j = w->left; j < w->right; j++)
        store_pixel(y + (j - w->left) * w->pixel, o[j], n, add);
}

INLINE void store_rows(float *y, const struct winograd_window *w, const vec *t, vec bias, int64_t n,
                       const int size, const bool add)
{
    const bool whole = is_whole(w, size) && n >= LANES;
    vec o[2 * T4];

    for (int64_t i = w->top; i < w->bottom; i++, y += w->row) {
        line_from_points(o, t + i * P9, size);
#pragma GCC unroll 9
        for (int j = 0; j < size; j++)
            o[j] += bias;
        if (!whole) {
            store_row(y, w, o, n, add);
            continue;
        }
#pragma GCC unroll 9
        for (int j = 0; j < size; j++)
            store_pixel(y + j * w->pixel, o[j], LANES, add);
    }
}

INLINE void from_points(float *y, const struct winograd_window *w, const struct winograd_sources *s,
                        int64_t channels, const int size)
{
    prefetch_written(y, w);
    for (int64_t c = 0; c < channels; c += LANES) {
        const int64_t n = channels - c;
        const vec bias = load_bias(s, c, n);
        vec t[2 * T4 * P9];
        columns_from_points(t, s->m + c, s->point, size);
        if (s->add)
            store_rows(y + c, w, t, bias, n, size, true);
        else
            store_rows(y + c, w, t, bias, n, size, false);
    }
}

void KERNEL(strided_output)(float *y, const struct winograd_window *w,
                            const struct winograd_sources *s, int64_t channels)
{
    from_points(y, w, s, channels, T4);
}

void KERNEL(strided_input_gradient)(float *dx, const struct winograd_window *w,
                                    const struct winograd_sources *s, int64_t channels)
{
    from_points(dx, w, s, channels, 2 * T4);
}
