/*
 * winograd_product.c - what Winograd does at its points (winograd.h): products of tiles with
 * weights, and sums over tiles. They are the same for every stride.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/tile.h"

/* Sums that begin at zero or with what is there. */
INLINE void begin_sums(vec c[TILE][VECTORS], struct tile t, const float *from, bool add)
{
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < VECTORS; j++)
            c[i][j] = add ? vec_load(from + i * PANEL + j * LANES) : (vec){0};
}

INLINE void end_sums(float *to, vec c[TILE][VECTORS], struct tile t)
{
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < VECTORS; j++)
            vec_store(to + i * PANEL + j * LANES, c[i][j]);
}

INLINE void product_tile(struct tile t, float *m, const float *v, int64_t panel, const float *u,
                         int64_t channels, bool add)
{
    vec c[TILE][VECTORS];

    begin_sums(c, t, m, add);
    for (int64_t k = 0; k < channels; k += PANEL) {
        const struct left a = {.at = v + k / PANEL * panel, .row = PANEL, .step = 1};
        multiply_add(c, t, a, u + k * PANEL, PANEL, panel_width(channels, k));
    }
    end_sums(m, c, t);
}

void KERNEL(winograd_product)(float *m, const float *v, int64_t panel, const float *u,
                              int64_t tiles, int64_t channels, bool add)
{
    struct tile t = {.vectors = VECTORS};

    for (int64_t i = 0; i < tiles; i += t.rows)
        WITH_ROWS(t, even_rows(i, tiles),
                  product_tile(t, m + i * PANEL, v + i * PANEL, panel, u, channels, add));
}

INLINE void gradient_tile(struct tile t, float *du, const float *v, const float *d, int64_t tiles,
                          bool add)
{
    const struct left a = {.at = v, .row = 1, .step = PANEL};
    vec c[TILE][VECTORS];

    begin_sums(c, t, du, add);
    multiply_add(c, t, a, d, PANEL, tiles);
    end_sums(du, c, t);
}

void KERNEL(winograd_gradient)(float *du, const float *v, const float *d, int64_t tiles,
                               int64_t rows, bool add)
{
    struct tile t = {.vectors = VECTORS};

    for (int64_t i = 0; i < rows; i += t.rows)
        WITH_ROWS(t, even_rows(i, rows), gradient_tile(t, du + i * PANEL, v + i, d, tiles, add));
}
