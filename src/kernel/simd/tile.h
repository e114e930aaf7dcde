/*
 * tile.h - a tile of a matrix product in registers: up to TILE rows of 16 columns.
 *
 * Register budget, AVX-512: 8 rows x 1 vector = 8 sums and a vector of the panel, of 32; what is
 * broadcast is an operand in memory. More rows are no faster, and those of a wide matrix would fall
 * on the same lines of the cache. Where the left operand is read along its rows, though, TALL rows
 * of the tile are a whole line. AVX2: 6 rows x 2 vectors = 12 sums, 2 vectors of the panel, 1
 * broadcast: 15 of 16. With 4 lanes: 3 rows x 4 vectors = 12 sums; the panel's vectors are operands
 * in memory.
 */
#ifndef KERNEL_SIMD_TILE_H
#define KERNEL_SIMD_TILE_H

#include <stdbool.h>

#include "kernel/panel.h"
#include "kernel/simd/vector.h"

enum { VECTORS = PANEL / LANES };

#define ROW_CASE(t, n, call) \
    case n:                  \
        (t).rows = (n);      \
        call;                \
        break;
/* clang-format off */
#define CASES_2(t, c) ROW_CASE(t, 1, c) ROW_CASE(t, 2, c)
#define CASES_5(t, c) CASES_2(t, c) ROW_CASE(t, 3, c) ROW_CASE(t, 4, c) ROW_CASE(t, 5, c)
#define CASES_7(t, c) CASES_5(t, c) ROW_CASE(t, 6, c) ROW_CASE(t, 7, c)
#define CASES_15(t, c) CASES_7(t, c) ROW_CASE(t, 8, c) ROW_CASE(t, 9, c) ROW_CASE(t, 10, c) \
    ROW_CASE(t, 11, c) ROW_CASE(t, 12, c) ROW_CASE(t, 13, c) ROW_CASE(t, 14, c) ROW_CASE(t, 15, c)
/* clang-format on */

#if LANES == 16
enum { TILE = 8, TALL = 16 };
#define TILE_CASES CASES_7
#define TALL_CASES CASES_15
#elif LANES == 8
enum { TILE = 6, TALL = 6 };
#define TILE_CASES CASES_5
#define TALL_CASES CASES_5
#else
enum { TILE = 3, TALL = 3 };
#define TILE_CASES CASES_2
#define TALL_CASES CASES_2
#endif

/* TILE or TALL rows, or the n that are left: each number of rows has its own copy of the call. */
#define WITH_CASES(t, n, most, cases, call)         \
    switch (n) {                                    \
        cases(t, call) default : (t).rows = (most); \
        call;                                       \
        break;                                      \
    }
#define WITH_ROWS(t, n, call)      WITH_CASES(t, n, TILE, TILE_CASES, call)
#define WITH_TALL_ROWS(t, n, call) WITH_CASES(t, n, TALL, TALL_CASES, call)

/* Rows of the tile that begins at row i of n: as even as possible, since small ones are slow. */
INLINE int64_t even_rows(int64_t i, int64_t n)
{
    const int64_t tiles = (n - i + TILE - 1) / TILE;

    return (n - i + tiles - 1) / tiles;
}

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
        if (LANES == 16)
            __builtin_prefetch(b + (k + 16) * b_step);
#pragma GCC unroll 16
        for (int64_t i = 0; i < t.rows; i++) {
            const float x = a.at[i * a.row + k * a.step];
#pragma GCC unroll 4
            for (int64_t v = 0; v < t.vectors; v++)
                c[i][v] += x * w[v];
        }
    }
}

#endif
