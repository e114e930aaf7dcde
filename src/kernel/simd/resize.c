/*
 * resize.c - sums of weighted bytes of RGB pixels, along rows and along columns. All arithmetic is
 * of integers: the same bits for every instruction set.
 */
#include "kernel/simd/functions.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

enum { CHANNELS = 3, ROUNDING = 1 << (RESIZE_BITS - 1), BLOCK = 64 };

INLINE uint8_t to_byte(int32_t sum)
{
    const int32_t value = sum >> RESIZE_BITS;

    return (uint8_t)(value > 255 ? 255 : value);
}

/* --- along rows --- */

/* Reads and writes nothing but its pixels. */
INLINE void sum_pixels(uint8_t *out, const uint8_t *in, const int32_t *weights, int64_t n)
{
    int32_t red = ROUNDING, green = ROUNDING, blue = ROUNDING;

    for (int64_t k = 0; k < n; k++) {
        red += weights[k] * in[CHANNELS * k];
        green += weights[k] * in[CHANNELS * k + 1];
        blue += weights[k] * in[CHANNELS * k + 2];
    }
    out[0] = to_byte(red);
    out[1] = to_byte(green);
    out[2] = to_byte(blue);
}

#ifdef __AVX2__

/* A pixel is three lanes of four. The fourth is of the next pixel, and written to the next result:
 * both must exist. */
INLINE void sum_most(uint8_t *out, const uint8_t *in, const int32_t *weights, int64_t n)
{
    __m128i sum = _mm_set1_epi32(ROUNDING);

    for (int64_t k = 0; k < n; k++) {
        int32_t pixel;

        memcpy(&pixel, in + CHANNELS * k, sizeof pixel);
        const __m128i lanes = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(pixel));
        sum = _mm_add_epi32(sum, _mm_mullo_epi32(lanes, _mm_set1_epi32(weights[k])));
    }
    sum = _mm_srai_epi32(sum, RESIZE_BITS);
    sum = _mm_packus_epi16(_mm_packus_epi32(sum, sum), sum); /* at most 255 */
    const int32_t result = _mm_cvtsi128_si32(sum);
    memcpy(out, &result, sizeof result);
}

#else

INLINE void sum_most(uint8_t *out, const uint8_t *in, const int32_t *weights, int64_t n)
{
    sum_pixels(out, in, weights, n);
}

#endif

/* A constant n has no loop over it. */
INLINE void sum_row(uint8_t *out, const uint8_t *in, const struct resize_taps *t, int64_t n)
{
    for (int64_t i = 0; i < t->results; i++) {
        const int32_t *weights = t->weights + i * t->apart;
        const uint8_t *from = in + (int64_t)t->starts[i] * CHANNELS;

        if (i + 1 < t->results && t->starts[i] + n < t->pixels)
            sum_most(out + CHANNELS * i, from, weights, n);
        else
            sum_pixels(out + CHANNELS * i, from, weights, n);
    }
}

void KERNEL(resize_columns)(uint8_t *out, const uint8_t *in, const struct resize_taps *t)
{
    switch (t->count) {
    case 2:
        sum_row(out, in, t, 2);
        break;
    case 3:
        sum_row(out, in, t, 3);
        break;
    case 4:
        sum_row(out, in, t, 4);
        break;
    default:
        sum_row(out, in, t, t->count);
    }
}

/* --- along columns --- */

/* A constant n fills vectors. */
INLINE void sum_block(uint8_t *out, const uint8_t *in, const struct resize_rows *r, int64_t n)
{
    int32_t sums[BLOCK];

    for (int64_t i = 0; i < n; i++)
        sums[i] = ROUNDING;
    for (int64_t k = 0; k < r->count; k++)
        for (int64_t i = 0; i < n; i++)
            sums[i] += r->weights[k] * in[k * r->bytes + i];
    for (int64_t i = 0; i < n; i++)
        out[i] = to_byte(sums[i]);
}

void KERNEL(resize_rows)(uint8_t *out, const uint8_t *in, const struct resize_rows *r)
{
    int64_t i = 0;

    for (; i + BLOCK <= r->bytes; i += BLOCK)
        sum_block(out + i, in + i, r, BLOCK);
    if (i < r->bytes)
        sum_block(out + i, in + i, r, r->bytes - i);
}
