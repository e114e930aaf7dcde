/*
 * dropout.c - random masks: the words of base/rng.h (Philox4x32-10), several counters at a time.
 *
 * Lanes of 64 bits are counters that differ in their third word. Of each lane the lower half
 * counts; what is left in the upper half by products is never looked at. All arithmetic is of
 * integers: the same bits for every instruction set.
 */
#include "kernel/simd/functions.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

typedef uint64_t wide __attribute__((vector_size(LANES * 4)));

enum { COUNTERS = LANES / 2, WORDS = 4, GROUPS = 2, UNITS = GROUPS * COUNTERS * WORDS };

static const uint64_t LOWER = 0xffffffffU;

#if LANES == 16

/* The lanes' counters: in an order that interleave() puts right. */
static const uint32_t numbers[COUNTERS] = {0, 4, 1, 5, 2, 6, 3, 7};

/* The product of the lower halves. As vectors of 64 bits it would cost more. */
INLINE wide multiply_halves(wide a, uint64_t b)
{
    return (wide)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((long long)b));
}

/* Counter by counter the two pairs of factors. */
INLINE void interleave(float *mask, wide first, wide second)
{
    vec_store(mask, (vec)_mm512_unpacklo_epi64((__m512i)first, (__m512i)second));
    vec_store(mask + LANES, (vec)_mm512_unpackhi_epi64((__m512i)first, (__m512i)second));
}

#elif LANES == 8

/* The lanes' counters: in an order that interleave() puts right. */
static const uint32_t numbers[COUNTERS] = {0, 2, 1, 3};

/* The product of the lower halves. As vectors of 64 bits it would cost three multiplications. */
INLINE wide multiply_halves(wide a, uint64_t b)
{
    return (wide)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((long long)b));
}

/* Counter by counter the two pairs of factors. */
INLINE void interleave(float *mask, wide first, wide second)
{
    vec_store(mask, (vec)_mm256_unpacklo_epi64((__m256i)first, (__m256i)second));
    vec_store(mask + LANES, (vec)_mm256_unpackhi_epi64((__m256i)first, (__m256i)second));
}

#else

static const uint32_t numbers[COUNTERS] = {0, 1};

INLINE wide multiply_halves(wide a, uint64_t b)
{
    return (wide){(a[0] & LOWER) * b, (a[1] & LOWER) * b};
}

INLINE void interleave(float *mask, wide first, wide second)
{
    const wide low = {first[0], second[0]}, high = {first[1], second[1]};

    vec_store(mask, (vec)low);
    vec_store(mask + LANES, (vec)high);
}

#endif

/* From the counters (index, draw + lane, stream) to their words. */
INLINE void draw_words(wide c[WORDS], const struct dropout_stream *s, uint32_t draw)
{
    uint32_t k0 = s->key[0], k1 = s->key[1];
    uint64_t draws[COUNTERS];

    c[0] = (s->index & LOWER) - (wide){0};
    c[1] = (s->index >> 32) - (wide){0};
    for (uint32_t i = 0; i < COUNTERS; i++)
        draws[i] = draw + numbers[i];
    memcpy(&c[2], draws, sizeof draws);
    c[3] = (uint64_t)s->stream - (wide){0};
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++) {
        const wide p0 = multiply_halves(c[0], 0xd2511f53U);
        const wide p1 = multiply_halves(c[2], 0xcd9e8d57U);
        c[0] = (p1 >> 32) ^ c[1] ^ (uint64_t)k0;
        c[2] = (p0 >> 32) ^ c[3] ^ (uint64_t)k1;
        c[1] = p1;
        c[3] = p0;
        k0 += 0x9e3779b9U;
        k1 += 0xbb67ae85U;
    }
}

/* 0 or the factor, for two words at a time: the first in the lower half. */
INLINE wide factors_of(wide first, wide second, const struct dropout_stream *s)
{
    const uvec words = (uvec)((first & LOWER) | second << 32);
    const ivec dropped = (ivec)(words < s->dropped);

    return (wide)(~dropped & (ivec)vec_all(s->kept));
}

/* The factors of UNITS units. */
INLINE void draw_mask(float mask[UNITS], const struct dropout_stream *s, uint32_t draw)
{
    for (uint32_t g = 0; g < GROUPS; g++) {
        wide c[WORDS];
        draw_words(c, s, draw + g * COUNTERS);
        interleave(mask + g * COUNTERS * WORDS, factors_of(c[0], c[1], s),
                   factors_of(c[2], c[3], s));
    }
}

/* `count` units, at most UNITS. */
INLINE void drop_some(float *y, float *mask, const float *x, const struct dropout_stream *s,
                      uint32_t draw, int64_t count)
{
    float some[UNITS];

    draw_mask(some, s, draw);
    if (s->drops_all)
        memset(some, 0, sizeof some);
    INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        y[i] = x[i] * some[i];
        mask[i] = some[i];
    }
}

void KERNEL(dropout)(float *y, float *mask, const float *x, const struct dropout_stream *s,
                     int64_t n)
{
    int64_t i = 0;

    for (; i + UNITS <= n; i += UNITS)
        drop_some(y + i, mask + i, x + i, s, s->draw + (uint32_t)(i / WORDS), UNITS);
    if (i < n)
        drop_some(y + i, mask + i, x + i, s, s->draw + (uint32_t)(i / WORDS), n - i);
}
