/*
 * winograd_weights.c - from the nine taps of a kernel to Winograd's 36 points and back, for strides
 * of 1 and 2 (winograd.h).
 *
 *     stride 1:                       stride 2:
 *          | 1/4    0    0  |              | 1/2   0    0  |
 *          |-1/6  -1/6 -1/6 |              |-1/2   0  -1/2 |
 *      G = |-1/6   1/6 -1/6 |          G = |-1/6   0   1/6 |
 *          | 1/24  1/12 1/6 |              | 1/6   0   1/3 |
 *          | 1/24 -1/12 1/6 |              | 0     0    1  |
 *          | 0      0    1  |              | 0     1    0  |
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/window.h"

enum {
    P6 = WINOGRAD_SIDE,
    TAPS = 3,
    ROWS_AHEAD = 8, /* of the gradient, whose lines are asked for before they are written */
};

/* --- the matrices, along one direction: elements of g and u are `step` apart --- */

INLINE void plain_points(vec o[P6], vec g0, vec g1, vec g2)
{
    const vec a = (-1.0F / 6.0F) * (g0 + g2), b = (1.0F / 6.0F) * g1;
    const vec c = (1.0F / 24.0F) * g0 + (1.0F / 6.0F) * g2, d = (1.0F / 12.0F) * g1;

    o[0] = 0.25F * g0;
    o[1] = a - b;
    o[2] = a + b;
    o[3] = c + d;
    o[4] = c - d;
    o[5] = g2;
}

INLINE void strided_points(vec o[P6], vec g0, vec g1, vec g2)
{
    o[0] = 0.5F * g0;
    o[1] = -0.5F * (g0 + g2);
    o[2] = (1.0F / 6.0F) * (g2 - g0);
    o[3] = (1.0F / 6.0F) * g0 + (1.0F / 3.0F) * g2;
    o[4] = g2;
    o[5] = g1;
}

/* G g */
INLINE void taps_to_points(vec o[P6], const vec *g, int step, const bool strided)
{
    if (strided)
        strided_points(o, g[0], g[step], g[2 * step]);
    else
        plain_points(o, g[0], g[step], g[2 * step]);
}

INLINE void plain_taps(vec o[TAPS], const vec u[P6])
{
    const vec a = (-1.0F / 6.0F) * (u[1] + u[2]), b = u[2] - u[1], c = u[3] + u[4], d = u[3] - u[4];

    o[0] = 0.25F * u[0] + ((1.0F / 24.0F) * c + a);
    o[1] = (1.0F / 6.0F) * b + (1.0F / 12.0F) * d;
    o[2] = u[5] + ((1.0F / 6.0F) * c + a);
}

INLINE void strided_taps(vec o[TAPS], const vec u[P6])
{
    o[0] = 0.5F * (u[0] - u[1]) + (1.0F / 6.0F) * (u[3] - u[2]);
    o[1] = u[5];
    o[2] = (u[4] - 0.5F * u[1]) + ((1.0F / 6.0F) * u[2] + (1.0F / 3.0F) * u[3]);
}

/* G^T u */
INLINE void points_to_taps(vec o[TAPS], const vec u[P6], const bool strided)
{
    if (strided)
        strided_taps(o, u);
    else
        plain_taps(o, u);
}

/* --- weights --- */

INLINE void weights_vector(float *u, int64_t point, const float *w, int64_t tap, const bool strided)
{
    vec g[TAPS * TAPS], t[P6 * TAPS], o[P6];

    for (int i = 0; i < TAPS * TAPS; i++)
        g[i] = vec_load(w + i * tap);
    for (int j = 0; j < TAPS; j++) {
        taps_to_points(o, g + j, TAPS, strided);
        for (int i = 0; i < P6; i++)
            t[i * TAPS + j] = o[i];
    }
    for (int i = 0; i < P6; i++) {
        taps_to_points(o, t + i * TAPS, 1, strided);
        for (int j = 0; j < P6; j++)
            vec_store(u + (i * P6 + j) * point, o[j]);
    }
}

void KERNEL(winograd_weights)(float *u, int64_t point, const float *w, int64_t tap, int64_t rows)
{
    for (int64_t i = 0; i < rows * PANEL; i += LANES)
        weights_vector(u + i, point, w + i, tap, false);
}

void KERNEL(strided_weights)(float *u, int64_t point, const float *w, int64_t tap, int64_t rows)
{
    for (int64_t i = 0; i < rows * PANEL; i += LANES)
        weights_vector(u + i, point, w + i, tap, true);
}

/* --- their gradient --- */

INLINE void gradient_vector(vec g[TAPS * TAPS], const float *du, int64_t point, const bool strided)
{
    vec t[TAPS * P6], column[P6], o[TAPS];

    for (int j = 0; j < P6; j++) {
        for (int i = 0; i < P6; i++)
            column[i] = vec_load(du + (i * P6 + j) * point);
        points_to_taps(o, column, strided);
        for (int i = 0; i < TAPS; i++)
            t[i * P6 + j] = o[i];
    }
    for (int i = 0; i < TAPS; i++)
        points_to_taps(g + i * TAPS, t + i * P6, strided);
}

/* How the gradient lies: taps `tap` apart, densely, so that behind a narrow row is another row. */
struct rows {
    int64_t tap, count, width;
    bool add;
};

/* One row of up to 16 columns. */
INLINE void gradient_row(float *dw, const struct rows *r, const float *du, int64_t point,
                         int64_t width, const bool strided)
{
    for (int64_t c = 0; c < width; c += LANES) {
        const int64_t n = width - c;
        vec g[TAPS * TAPS];
        gradient_vector(g, du + c, point, strided);
        for (int i = 0; i < TAPS * TAPS; i++) {
            float *to = dw + i * r->tap + c;
            __builtin_prefetch(to + ROWS_AHEAD * PANEL, 1);
            if (r->add)
                g[i] = load_channels(to, n) + g[i];
            if (n >= LANES)
                vec_store(to, g[i]);
            else
                vec_store_few(to, g[i], n);
        }
    }
}

INLINE void gradient_rows(float *dw, const struct rows *r, const float *du, int64_t point,
                          const bool strided)
{
    for (int64_t i = 0; i < r->count; i++)
        if (r->width == PANEL)
            gradient_row(dw + i * PANEL, r, du + i * PANEL, point, PANEL, strided);
        else
            gradient_row(dw + i * r->width, r, du + i * PANEL, point, r->width, strided);
}

void KERNEL(winograd_weight_gradient)(float *dw, int64_t tap, const float *du, int64_t point,
                                      int64_t rows, int64_t width, bool add)
{
    gradient_rows(dw, &(struct rows){tap, rows, width, add}, du, point, false);
}

void KERNEL(strided_weight_gradient)(float *dw, int64_t tap, const float *du, int64_t point,
                                     int64_t rows, int64_t width, bool add)
{
    gradient_rows(dw, &(struct rows){tap, rows, width, add}, du, point, true);
}
