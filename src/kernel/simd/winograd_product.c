/*
 * winograd_product.c - what Winograd does at its points (winograd.h): products of tiles with
 * weights, and sums over tiles. They are the same for every stride.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/tile.h"

INLINE void product_tile(struct tile t, float *m, const float *v, int64_t panel, const float *u,
                         int64_t channels, bool add)
{
    vec c[TILE][VECTORS];

    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < VECTORS; j++)
            c[i][j] = add ? vec_load(m + i * PANEL + j * LANES) : (vec){0};
    for (int64_t k = 0; k < channels; k += PANEL) {
        const struct left a = {.at = v + k / PANEL * panel, .row = PANEL, .step = 1};
        multiply_add(c, t, a, u + k * PANEL, PANEL, panel_width(channels, k));
    }
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < VECTORS; j++)
            vec_store(m + i * PANEL + j * LANES, c[i][j]);
}

void KERNEL(winograd_product)(float *m, const float *v, int64_t panel, const float *u,
                              int64_t tiles, int64_t channels, bool add)
{
    struct tile t = {.vectors = VECTORS};

    for (int64_t i = 0; i < tiles; i += t.rows)
        WITH_ROWS(t, even_rows(i, tiles),
                  product_tile(t, m + i * PANEL, v + i * PANEL, panel, u, channels, add));
}

INLINE void gradient_tile(struct tile t, float *du, const float *v, const float *d,
                          const struct winograd_sum *s)
{
    vec c[TILE][VECTORS] = {{{0}}};

    for (int64_t p = 0; p < s->points; p++) {
        const struct left a = {.at = v + p * s->v_point, .row = 1, .step = PANEL};
        multiply_add(c, t, a, d + p * s->d_point, PANEL, s->tiles);
    }
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < VECTORS; j++)
            vec_store(du + i * PANEL + j * LANES, c[i][j]);
}

void KERNEL(winograd_gradient)(float *du, const float *v, const float *d,
                               const struct winograd_sum *s, int64_t rows)
{
    struct tile t = {.vectors = VECTORS};

    for (int64_t i = 0; i < rows; i += t.rows)
        WITH_ROWS(t, even_rows(i, rows), gradient_tile(t, du + i * PANEL, v + i, d, s));
}
