/*
 * sparse.h - products whose left operand has many zeros, as ReLU leaves them: those are passed by.
 *
 * What is left out would have added zero to a sum: the bits are those of tile.h, unless a factor is
 * infinite or no number. Finding the next number takes a few instructions of the kind that the
 * multiply-adds leave free, as long as there are four of these for each: PANELS panels at once.
 */
#ifndef KERNEL_SIMD_SPARSE_H
#define KERNEL_SIMD_SPARSE_H

#include <stdbool.h>

#include "kernel/panel.h"
#include "kernel/simd/vector.h"

#if LANES == 16

enum {
    GROUP = 64,      /* numbers whose zeros are found at once; their rows of w stay in cache */
    PANELS = 4,      /* as many sums as a multiply-add takes cycles */
    SAMPLE_ROWS = 8, /* that are looked at to see whether it pays */
    SPARSE_ROWS = 24 /* fewer are no work to save on */
};

/* Bit k: at[k] is not zero, k < n <= GROUP. */
INLINE uint64_t nonzeros(const float *at, int64_t n)
{
    const __m512 zero = _mm512_setzero_ps();
    uint64_t bits = 0;

#pragma GCC unroll 4
    for (int64_t k = 0; k < GROUP; k += LANES) {
        if (k >= n)
            break;
        const __m512 x =
            (__m512)(n - k >= LANES ? vec_load(at + k) : vec_load_few(at + k, n - k, 0.0F));
        bits |= (uint64_t)_mm512_cmp_ps_mask(x, zero, _CMP_NEQ_UQ) << k;
    }
    return bits;
}

/* c[v] += sum over the set bits k of a[k] times row k of panel v, `step` floats from the last. */
INLINE void add_nonzeros(vec c[PANELS], const float *a, uint64_t bits, const float *w, int64_t step)
{
    for (; bits != 0; bits &= bits - 1) {
        const int64_t k = __builtin_ctzll(bits);
        const vec x = vec_all(a[k]);
#pragma GCC unroll 4
        for (int64_t v = 0; v < PANELS; v++)
            c[v] += x * vec_load(w + v * step + k * PANEL);
    }
}

/* Whether few enough of the left operand's numbers are not zero, by some of its rows. */
static bool is_sparse(const struct panel_rows *a)
{
    const int64_t step = a->count / SAMPLE_ROWS;
    int64_t found = 0;

    if (a->runs != 1 || a->count < SPARSE_ROWS || a->run < LANES)
        return false;
    for (int64_t i = 0; i < SAMPLE_ROWS; i++)
        for (int64_t k = 0; k < a->run; k += GROUP) {
            const int64_t n = a->run - k < GROUP ? a->run - k : GROUP;
            found += __builtin_popcountll(nonzeros(a->data + i * step * a->row_stride + k, n));
        }
    return found * 3 < SAMPLE_ROWS * a->run * 2;
}

/* Numbers k .. k + n - 1 of each row, for PANELS whole panels of c and w; c has sums if k > 0. */
INLINE void sparse_group(float *c, int64_t ldc, const struct panel_rows *a, const float *w,
                         const float *bias, int64_t k, int64_t n)
{
    const int64_t step = a->run * PANEL;
    const float *at = a->data + k;
    uint64_t next = nonzeros(at, n);
    vec sums[PANELS];

    w += k * PANEL;
    for (int64_t i = 0; i < a->count; i++, c += ldc) {
        const uint64_t bits = next;
        const float *row = at;
        at += i + 1 < a->count ? a->row_stride : 0;
        next = nonzeros(at, n); /* in good time: what follows ends with a jump nobody foresees */
        for (int64_t v = 0; v < PANELS; v++)
            if (k > 0)
                sums[v] = vec_load(c + v * PANEL);
            else
                sums[v] = bias == NULL ? vec_all(0.0F) : vec_load(bias + v * PANEL);
        add_nonzeros(sums, row, bits, w, step);
        for (int64_t v = 0; v < PANELS; v++)
            vec_store(c + v * PANEL, sums[v]);
    }
}

/* c = bias + a w for the panels before the answered column: whole ones, PANELS at a time. */
static int64_t sparse_product(float *c, int64_t ldc, const struct panel_rows *a, const float *w,
                              const float *bias, int64_t columns)
{
    int64_t n = 0;

    if (columns < PANELS * PANEL || !is_sparse(a))
        return 0;
    for (; n + PANELS * PANEL <= columns; n += PANELS * PANEL)
        for (int64_t k = 0; k < a->run; k += GROUP)
            sparse_group(c + n, ldc, a, w + n * a->run, bias == NULL ? NULL : bias + n, k,
                         a->run - k < GROUP ? a->run - k : GROUP);
    return n;
}

#else

/* Not worth it. */
static int64_t sparse_product(float *c, int64_t ldc, const struct panel_rows *a, const float *w,
                              const float *bias, int64_t columns)
{
    (void)c;
    (void)ldc;
    (void)a;
    (void)w;
    (void)bias;
    (void)columns;
    return 0;
}

#endif

#endif
