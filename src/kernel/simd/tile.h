/*
 * tile.h - a tile of a matrix product in registers: up to TILE rows of 16 columns.
 *
 * Register budget, AVX2: 6 rows x 2 vectors = 12 sums, 2 vectors of the panel, 1 broadcast: 15 of
 * 16. With 4 lanes: 3 rows x 4 vectors = 12 sums; the panel's vectors are operands in memory.
 */
#ifndef KERNEL_SIMD_TILE_H
#define KERNEL_SIMD_TILE_H

#include <stdbool.h>

#include "kernel/panel.h"
#include "kernel/simd/vector.h"

enum { VECTORS = PANEL / LANES };

/* TILE rows, or the n that are left: each number of rows has its own copy of the call. */
#define WITH_ROWS(t, n, call) \
    switch (n) {              \
        ROW_CASES(t, call)    \
    default:                  \
        (t).rows = TILE;      \
        call;                 \
        break;                \
    }
#define ROW_CASE(t, n, call) \
    case n:                  \
        (t).rows = (n);      \
        call;                \
        break;

#if LANES == 8
#define TILE 6
#define ROW_CASES(t, call) \
    ROW_CASE(t, 1, call)   \
    ROW_CASE(t, 2, call) ROW_CASE(t, 3, call) ROW_CASE(t, 4, call) ROW_CASE(t, 5, call)
#else
#define TILE               3
#define ROW_CASES(t, call) ROW_CASE(t, 1, call) ROW_CASE(t, 2, call)
#endif

/* A tile's form, always constant: that is what makes the sums registers. */
struct tile {
    int rows, vectors;
    bool narrow;
};

/* Element (i, k) of the left operand is at[i * row + k * step]. */
struct left {
    const float *at;
    int64_t row, step;
};

/* c[i][v] += sum_k a[i][k] b[k][v], k < n */
INLINE void multiply_add(vec c[][VECTORS], struct tile t, struct left a, const float *b,
                         int64_t b_step, int64_t n)
{
#pragma GCC unroll 2
    for (int64_t k = 0; k < n; k++) {
        vec w[VECTORS];
#pragma GCC unroll 4
        for (int64_t v = 0; v < t.vectors; v++)
            w[v] = vec_load(b + k * b_step + v * LANES);
#pragma GCC unroll 6
        for (int64_t i = 0; i < t.rows; i++) {
            const float x = a.at[i * a.row + k * a.step];
#pragma GCC unroll 4
            for (int64_t v = 0; v < t.vectors; v++)
                c[i][v] += x * w[v];
        }
    }
}

#endif
