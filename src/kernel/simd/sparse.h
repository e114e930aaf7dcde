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

/* --- dw = a^T dc, dc with many zeros --- */

enum {
    BLOCK = 8,             /* vectors of inputs, so many sums, at once */
    INPUTS = BLOCK * LANES /* their rows of dw, and those of a, are in cache */
};

/* Bit i of bits[c]: row i of dc is not zero in column c; answers how many there are. */
INLINE int64_t column_nonzeros(uint64_t bits[PANEL], const float *dc, int64_t ldc, int64_t rows)
{
    const __m512 zero = _mm512_setzero_ps();
    __m512i half[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    int64_t found = 0;
    uint32_t words[2][PANEL];

    for (int64_t i = 0; i < rows; i++) {
        const __mmask16 k = _mm512_cmp_ps_mask((__m512)vec_load(dc + i * ldc), zero, _CMP_NEQ_UQ);
        const __m512i bit = _mm512_set1_epi32((int32_t)(1U << (i % 32)));
        half[i / 32] = _mm512_mask_or_epi32(half[i / 32], k, half[i / 32], bit);
        found += __builtin_popcount(k);
    }
    for (int h = 0; h < 2; h++)
        _mm512_storeu_si512(words[h], half[h]);
    for (int64_t c = 0; c < PANEL; c++)
        bits[c] = (uint64_t)words[1][c] << 32 | words[0][c];
    return found;
}

/* to[i][...] = the sums of one column for INPUTS inputs, over the rows with a bit. */
INLINE void sum_column(float *to, const struct panel_rows *a, int64_t input, const float *dc,
                       int64_t ldc, uint64_t bits)
{
    vec sums[BLOCK] = {0};

    for (; bits != 0; bits &= bits - 1) {
        const int64_t i = __builtin_ctzll(bits);
        const float *x = a->data + i * a->row_stride + input;
        const vec y = vec_all(dc[i * ldc]);
#pragma GCC unroll 8
        for (int64_t v = 0; v < BLOCK; v++)
            sums[v] += y * vec_load(x + v * LANES);
    }
    for (int64_t v = 0; v < BLOCK; v++)
        vec_store(to + v * LANES, sums[v]);
}

/* Four rows of 4 x 4 blocks side by side, each of which is transposed. */
INLINE void transpose_fours(__m512 r[4])
{
    const __m512 low01 = _mm512_unpacklo_ps(r[0], r[1]), high01 = _mm512_unpackhi_ps(r[0], r[1]);
    const __m512 low23 = _mm512_unpacklo_ps(r[2], r[3]), high23 = _mm512_unpackhi_ps(r[2], r[3]);

    r[0] = _mm512_shuffle_ps(low01, low23, 0x44);
    r[1] = _mm512_shuffle_ps(low01, low23, 0xEE);
    r[2] = _mm512_shuffle_ps(high01, high23, 0x44);
    r[3] = _mm512_shuffle_ps(high01, high23, 0xEE);
}

/* to[k][c] = from[c][k] for 16 columns c, rows INPUTS apart, and four inputs k. */
INLINE void transpose_inputs(float *to, const float *from)
{
    __m512 r[4];

    for (int64_t i = 0; i < 4; i++) {
        const float *at = from + i * INPUTS;
        r[i] = _mm512_castps128_ps512(_mm_loadu_ps(at));
        r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(at + 4 * INPUTS), 1);
        r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(at + 8 * INPUTS), 2);
        r[i] = _mm512_insertf32x4(r[i], _mm_loadu_ps(at + 12 * INPUTS), 3);
    }
    transpose_fours(r);
    for (int64_t i = 0; i < 4; i++)
        _mm512_storeu_ps(to + i * PANEL, r[i]);
}

/*
 * One whole panel of dw, of which each column is summed for itself, with inputs as lanes. Answers
 * how many of the inputs are done: none where there are few zeros.
 */
static int64_t sparse_gradient(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc)
{
    uint64_t bits[PANEL];
    float columns[PANEL * INPUTS];
    int64_t q = 0;

    if (a->runs != 1 || a->count < SPARSE_ROWS || a->count > GROUP || a->run < INPUTS)
        return 0;
    if (column_nonzeros(bits, dc, ldc, a->count) * 8 > a->count * PANEL * 5)
        return 0;
    for (; q + INPUTS <= a->run; q += INPUTS) {
        for (int64_t c = 0; c < PANEL; c++)
            sum_column(columns + c * INPUTS, a, q, dc + c, ldc, bits[c]);
        for (int64_t k = 0; k < INPUTS; k += 4)
            transpose_inputs(dw + (q + k) * PANEL, columns + k);
    }
    return q;
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

static int64_t sparse_gradient(float *dw, const struct panel_rows *a, const float *dc, int64_t ldc)
{
    (void)dw;
    (void)a;
    (void)dc;
    (void)ldc;
    return 0;
}

#endif

#endif
