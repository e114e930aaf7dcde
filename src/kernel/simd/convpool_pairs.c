/*
 * convpool_pairs.c - two rows of a 5x5 convolution at once, by Winograd's F(2,5) along the columns:
 * six products with transformed rows and weights where ten would be needed.
 *
 *            | 1/4    0     0     0     0  |
 *            |-1/6  -1/6  -1/6  -1/6  -1/6 |
 *      G =   |-1/6   1/6  -1/6   1/6  -1/6 |     A^T = | 1  1  1  1  1  0 |
 *            | 1/24  1/12  1/6   1/3   2/3 |           | 0  1 -1  2 -2  1 |
 *            | 1/24 -1/12  1/6  -1/3   2/3 |
 *            | 0      0     0     0     1  |
 *
 * Along the rows it is a plain sum. The image's rows are transformed once for all positions, and
 * what is summed once for a whole run of the kernel; in two dimensions a position would have 36
 * sums to transform instead of 6, which few channels do not make up for.
 *
 * Register budget, AVX-512: 5 positions x 6 points and a vector of weights, 31 of 32. Elsewhere 2 x
 * 6 points, the weights and a broadcast: 14 of 16.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/points.h"

enum {
    POINTS = CONVPOOL_PAIR_POINTS,
    TAPS = CONVPOOL_PAIR_KERNEL,
    POSITIONS_MOST = LANES == 16 ? 5 : 2,
};

/* With few registers, weights are loaded for two positions only. */
bool KERNEL(convpool_pairs_pay)(const struct convpool_shape *s)
{
    return convpool_can_pair(s) && LANES == 16;
}

/* --- weights: [run][point][width] of each panel --- */

INLINE void taps_to_points(vec o[POINTS], const vec g[TAPS])
{
    const vec even = g[0] + g[2] + g[4], odd = g[1] + g[3];
    const vec c = (1.0F / 24.0F) * g[0] + ((1.0F / 6.0F) * g[2] + (2.0F / 3.0F) * g[4]);
    const vec d = (1.0F / 12.0F) * g[1] + (1.0F / 3.0F) * g[3];

    o[0] = 0.25F * g[0];
    o[1] = (-1.0F / 6.0F) * (even + odd);
    o[2] = (-1.0F / 6.0F) * (even - odd);
    o[3] = c + d;
    o[4] = c - d;
    o[5] = g[4];
}

INLINE vec load_columns(const float *w, int64_t n)
{
    return n >= LANES ? vec_load(w) : n > 0 ? vec_load_few(w, n, 0.0F) : (vec){0};
}

void KERNEL(convpool_pair_weights)(float *u, const float *w, int64_t run, int64_t columns,
                                   int64_t width)
{
    for (int64_t q = 0; q < run; q++)
        for (int64_t lane = 0; lane < width; lane += LANES) {
            vec g[TAPS], o[POINTS];
            for (int y = 0; y < TAPS; y++)
                g[y] = load_columns(w + (y * run + q) * columns + lane, columns - lane);
            taps_to_points(o, g);
            for (int x = 0; x < POINTS; x++)
                vec_store(u + (q * POINTS + x) * width + lane, o[x]);
        }
}

/* --- rows of the image: [point][row] --- */

/* Nothing is read behind a row: behind the last one memory may end. */
INLINE void rows_to_points(float *v, int64_t stride, const float *x, int64_t row)
{
    for (int64_t i = 0; i < row; i += LANES) {
        vec d[POINTS], o[POINTS];
#pragma GCC unroll 6
        for (int y = 0; y < POINTS; y++)
            d[y] = load_columns(x + y * row + i, row - i);
        patch_to_points(o, d, 1);
#pragma GCC unroll 6
        for (int y = 0; y < POINTS; y++)
            vec_store(v + y * stride + i, o[y]);
    }
}

/* --- products --- */

/* Some positions of both rows, and one vector of columns. */
struct products {
    const float *v, *u;
    float *to;
    int64_t v_row, u_row, to_row; /* from one to the next: points, runs, the two rows */
    int64_t channels, run, width;
    vec bias;
};

INLINE void store_pair(const struct products *p, int64_t i, const vec m[POINTS])
{
    const vec a = m[1] + m[2], b = m[3] + m[4];
    const vec c = m[1] - m[2], d = m[3] - m[4];

    vec_store(p->to + i * p->width, p->bias + ((m[0] + a) + b));
    vec_store(p->to + p->to_row + i * p->width, p->bias + ((c + 2.0F * d) + m[5]));
}

INLINE void multiply_positions(const struct products *p, const int positions)
{
    const int64_t channels = p->channels, row = p->v_row, width = p->width, run = p->run;
    const float *u = p->u, *v = p->v;
    vec c[POSITIONS_MOST][POINTS];

#pragma GCC unroll 5
    for (int i = 0; i < positions; i++)
#pragma GCC unroll 6
        for (int x = 0; x < POINTS; x++)
            c[i][x] = (vec){0};
#pragma GCC unroll 1
    for (int64_t q = 0; q < run; q++, u += POINTS * width, v++) {
        const float *from = v;
#pragma GCC unroll 6
        for (int x = 0; x < POINTS; x++, from += row) {
            const vec weights = vec_load(u + x * width);
            OPAQUE(from);
#pragma GCC unroll 5
            for (int i = 0; i < positions; i++)
                c[i][x] += from[i * channels] * weights;
        }
    }
#pragma GCC unroll 5
    for (int i = 0; i < positions; i++)
        store_pair(p, i, c[i]);
}

#define FORM_FUNCTION(n)                               \
    static void multiply_##n(const struct products *p) \
    {                                                  \
        multiply_positions(p, (n));                    \
    }
#define FORM_ENTRY(n) [n] = multiply_##n,

#if LANES == 16
#define FORMS(X) X(1) X(2) X(3) X(4) X(5)
#else
#define FORMS(X) X(1) X(2)
#endif

FORMS(FORM_FUNCTION)

/* As many tiles as needed, as even as possible. */
static int64_t positions_of(int64_t count)
{
    const int64_t tiles = (count + POSITIONS_MOST - 1) / POSITIONS_MOST;

    return (count + tiles - 1) / tiles;
}

void KERNEL(convpool_pair)(float *strip, const float *x, const struct convpool_pair *pair,
                           const struct convpool_shape *s)
{
    static void (*const forms[POSITIONS_MOST + 1])(const struct products *) = {FORMS(FORM_ENTRY)};
    const int64_t count = 2 * s->out_width, n = positions_of(count), last = count - n;
    struct products p = {
        .v_row = convpool_pair_row(s),
        .to_row = count * pair->width,
        .channels = s->channels,
        .run = convpool_run(s),
        .width = pair->width,
    };

    rows_to_points(pair->room, p.v_row, x, s->row);
    for (int64_t lane = 0; lane < pair->width; lane += LANES) {
        p.u = pair->weights + lane;
        p.bias = vec_load(pair->bias + lane);
        for (int64_t i = 0; i < count; i += n) {
            const int64_t at = i < last ? i : last; /* one that would stand out is moved back */
            p.v = pair->room + at * s->channels;
            p.to = strip + at * pair->width + lane;
            forms[n](&p);
        }
    }
}
