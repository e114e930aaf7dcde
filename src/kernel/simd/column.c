/*
 * column.c - rows of channels: sums over the rows, and what BatchNorm does to them.
 *
 * Sums are exact enough and fast: 16 rows are added in float, in their order, and each such block
 * is added to a sum in double. So a sum that is cut after a multiple of 16 rows has the bits of the
 * whole. The floats of a block lie in a small array; some rows are taken at a time, still one after
 * the other, so that a float is loaded and stored less often, and memory is read in its order.
 */
#include "kernel/simd/functions.h"

enum {
    BLOCK = 16, /* rows whose sum is a float */
    STRIP = 4,  /* rows taken at a time */
    TILE = 256, /* channels taken at a time */
};

INLINE int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

INLINE void add_to_double(double *sums, const float *block, int64_t n)
{
    INDEPENDENT
    for (int64_t c = 0; c < n; c++)
        sums[c] += (double)block[c];
}

/* --- sums --- */

/* s[c] += the sum over `rows` rows of x, c < n */
INLINE void sums_strip(float *s, const float *x, const int rows, int64_t n, int64_t channels)
{
    INDEPENDENT
    for (int64_t c = 0; c < n; c++) {
        float sum = s[c];
        for (int r = 0; r < rows; r++)
            sum += x[r * channels + c];
        s[c] = sum;
    }
}

INLINE void sums_block(double *sums, const float *x, int64_t rows, int64_t n, int64_t channels)
{
    float s[TILE];
    int64_t r = 0;

    memset(s, 0, (size_t)n * sizeof *s);
    for (; r + STRIP <= rows; r += STRIP)
        sums_strip(s, x + r * channels, STRIP, n, channels);
    for (; r < rows; r++)
        sums_strip(s, x + r * channels, 1, n, channels);
    add_to_double(sums, s, n);
}

void KERNEL(column_sums)(double *sums, const float *x, int64_t rows, int64_t channels)
{
    for (int64_t r = 0; r < rows; r += BLOCK)
        for (int64_t c = 0; c < channels; c += TILE)
            sums_block(sums + c, x + r * channels + c, least(rows - r, BLOCK),
                       least(channels - c, TILE), channels);
}

/* --- moments --- */

/* s[c] += d, q[c] += d^2 with d = x - center, row by row */
INLINE void moments_strip(float *s, float *q, const float *x, const float *center, const int rows,
                          int64_t n, int64_t channels)
{
    INDEPENDENT
    for (int64_t c = 0; c < n; c++) {
        float sum = s[c], square = q[c];
        for (int r = 0; r < rows; r++) {
            const float d = x[r * channels + c] - center[c];
            sum += d;
            square += d * d;
        }
        s[c] = sum;
        q[c] = square;
    }
}

INLINE void moments_block(double *sums, double *squares, const float *x, const float *center,
                          int64_t rows, int64_t n, int64_t channels)
{
    float s[TILE], q[TILE];
    int64_t r = 0;

    memset(s, 0, (size_t)n * sizeof *s);
    memset(q, 0, (size_t)n * sizeof *q);
    for (; r + STRIP <= rows; r += STRIP)
        moments_strip(s, q, x + r * channels, center, STRIP, n, channels);
    for (; r < rows; r++)
        moments_strip(s, q, x + r * channels, center, 1, n, channels);
    add_to_double(sums, s, n);
    add_to_double(squares, q, n);
}

void KERNEL(column_moments)(double *sums, double *squares, const float *x, const float *center,
                            int64_t rows, int64_t channels)
{
    for (int64_t r = 0; r < rows; r += BLOCK)
        for (int64_t c = 0; c < channels; c += TILE)
            moments_block(sums + c, squares + c, x + r * channels + c, center + c,
                          least(rows - r, BLOCK), least(channels - c, TILE), channels);
}

/* --- y = x scale + shift, and what is joined to it --- */

INLINE void map_rows(float *y, const float *x, const struct norm_map *m, int64_t rows,
                     int64_t channels, const bool adds, const bool relu)
{
    const float *scale = m->scale, *shift = m->shift, *other = m->other;

    for (int64_t r = 0; r < rows; r++) {
        INDEPENDENT
        for (int64_t c = 0; c < channels; c++) {
            float z = x[r * channels + c] * scale[c] + shift[c];
            if (adds)
                z = z + other[r * channels + c];
            y[r * channels + c] = relu && z < 0.0F ? 0.0F : z; /* NaN stays NaN */
        }
    }
}

void KERNEL(norm_map)(float *y, const float *x, const struct norm_map *m, int64_t rows,
                      int64_t channels)
{
    if (m->other != NULL && m->relu)
        map_rows(y, x, m, rows, channels, true, true);
    else if (m->other != NULL)
        map_rows(y, x, m, rows, channels, true, false);
    else if (m->relu)
        map_rows(y, x, m, rows, channels, false, true);
    else
        map_rows(y, x, m, rows, channels, false, false);
}

/* --- backward: the sums --- */

/* dy where the ReLU passes it on. */
INLINE float masked(float dy, float x, float y, float scale, float shift, const enum norm_mask mask)
{
    if (mask == NORM_MASK_INPUT)
        return x * scale + shift <= 0.0F ? 0.0F : dy;
    if (mask == NORM_MASK_OUTPUT)
        return y <= 0.0F ? 0.0F : dy;
    return dy;
}

/* s[c] += dz, q[c] += dz (x - mean), row by row; g begins at the strip's first element */
INLINE void gradient_strip(float *s, float *q, const struct norm_gradient *g, const int rows,
                           int64_t n, int64_t channels, const enum norm_mask mask, const bool keeps)
{
    const float *dy = g->dy, *x = g->x, *y = g->y;
    const float *mean = g->mean, *scale = g->scale, *shift = g->shift;
    float *to = g->dz;

    INDEPENDENT
    for (int64_t c = 0; c < n; c++) {
        float sum = s[c], product = q[c];
        for (int r = 0; r < rows; r++) {
            const int64_t i = r * channels + c;
            const float of_y = mask == NORM_MASK_OUTPUT ? y[i] : 0.0F;
            const float dz = masked(dy[i], x[i], of_y, scale[c], shift[c], mask);
            if (keeps)
                to[i] = dz;
            sum += dz;
            product += dz * (x[i] - mean[c]);
        }
        s[c] = sum;
        q[c] = product;
    }
}

/* The same from row r, channel c on. */
INLINE struct norm_gradient gradient_at(const struct norm_gradient *g, int64_t r, int64_t c,
                                        int64_t channels)
{
    struct norm_gradient at = *g;

    at.dy += r * channels + c;
    at.x += r * channels + c;
    at.y += g->mask == NORM_MASK_OUTPUT ? r * channels + c : 0;
    at.dz += g->dz != NULL ? r * channels + c : 0;
    at.mean += c;
    at.scale += c;
    at.shift += c;
    return at;
}

/* The floats of a block, for one copy of the code after the other. */
struct block {
    float s[TILE], q[TILE];
};

INLINE void gradient_block(struct block *k, const struct norm_gradient *g, int64_t rows, int64_t n,
                           int64_t channels, const enum norm_mask mask, const bool keeps)
{
    int64_t r = 0;

    memset(k->s, 0, (size_t)n * sizeof *k->s);
    memset(k->q, 0, (size_t)n * sizeof *k->q);
    for (; r + STRIP <= rows; r += STRIP) {
        const struct norm_gradient at = gradient_at(g, r, 0, channels);
        gradient_strip(k->s, k->q, &at, STRIP, n, channels, mask, keeps);
    }
    for (; r < rows; r++) {
        const struct norm_gradient at = gradient_at(g, r, 0, channels);
        gradient_strip(k->s, k->q, &at, 1, n, channels, mask, keeps);
    }
}

INLINE void gradient_block_of(struct block *k, const struct norm_gradient *g, int64_t rows,
                              int64_t n, int64_t channels, const enum norm_mask mask)
{
    if (g->dz != NULL)
        gradient_block(k, g, rows, n, channels, mask, true);
    else
        gradient_block(k, g, rows, n, channels, mask, false);
}

/* The sums of one block, n <= TILE channels, in k. */
static void gradient_sums(struct block *k, const struct norm_gradient *g, int64_t rows, int64_t n,
                          int64_t channels)
{
    switch (g->mask) {
    case NORM_MASK_NONE:
        gradient_block_of(k, g, rows, n, channels, NORM_MASK_NONE);
        break;
    case NORM_MASK_INPUT:
        gradient_block_of(k, g, rows, n, channels, NORM_MASK_INPUT);
        break;
    case NORM_MASK_OUTPUT:
        gradient_block_of(k, g, rows, n, channels, NORM_MASK_OUTPUT);
        break;
    }
}

void KERNEL(norm_sums)(double *sums, double *products, const struct norm_gradient *g, int64_t rows,
                       int64_t channels)
{
    struct block k;

    for (int64_t r = 0; r < rows; r += BLOCK)
        for (int64_t c = 0; c < channels; c += TILE) {
            const struct norm_gradient at = gradient_at(g, r, c, channels);
            const int64_t n = least(channels - c, TILE);
            gradient_sums(&k, &at, least(rows - r, BLOCK), n, channels);
            add_to_double(sums + c, k.s, n);
            add_to_double(products + c, k.q, n);
        }
}

/* --- backward: the gradient by the input --- */

INLINE void back_rows(float *dx, const struct norm_gradient *g, int64_t rows, int64_t channels,
                      const enum norm_mask mask)
{
    const float *dy = g->dy, *x = g->x, *y = g->y, *scale = g->scale, *shift = g->shift;
    const float *scale_x = g->scale_x, *rest = g->rest;

    for (int64_t r = 0; r < rows; r++) {
        INDEPENDENT
        for (int64_t c = 0; c < channels; c++) {
            const int64_t i = r * channels + c;
            const float of_y = mask == NORM_MASK_OUTPUT ? y[i] : 0.0F;
            const float of_shift = mask == NORM_MASK_INPUT ? shift[c] : 0.0F;
            const float dz = masked(dy[i], x[i], of_y, scale[c], of_shift, mask);
            const float by_x = scale_x[c] * x[i] + rest[c];
            dx[i] = scale[c] * dz + by_x;
        }
    }
}

void KERNEL(norm_back)(float *dx, const struct norm_gradient *g, int64_t rows, int64_t channels)
{
    switch (g->mask) {
    case NORM_MASK_NONE:
        back_rows(dx, g, rows, channels, NORM_MASK_NONE);
        break;
    case NORM_MASK_INPUT:
        back_rows(dx, g, rows, channels, NORM_MASK_INPUT);
        break;
    case NORM_MASK_OUTPUT:
        back_rows(dx, g, rows, channels, NORM_MASK_OUTPUT);
        break;
    }
}
