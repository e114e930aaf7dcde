/*
 * interleave.h - from channel by channel to position by position: a vector of positions for each of
 * a few channels becomes the channels of the first position, those of the second, and so on. Words
 * are of any type of 4 bytes.
 */
#ifndef KERNEL_SIMD_INTERLEAVE_H
#define KERNEL_SIMD_INTERLEAVE_H

#include "kernel/simd/vector.h"

enum { INTERLEAVE_MAX = 8 }; /* channels */

#if LANES == 16

/*
 * Vector v of the result takes each lane from one of 8 channels. They are asked in pairs: `from` is
 * the lane within its pair, and `pairs` says which lanes the pair has.
 */
struct interleave {
    int64_t channels;
    __m512i from[INTERLEAVE_MAX];
    __mmask16 pairs[INTERLEAVE_MAX][INTERLEAVE_MAX / 2];
};

INLINE void interleave_init(struct interleave *t, int64_t channels)
{
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i inverse = _mm512_set1_epi32((int32_t)(65536 / channels + 1));

    t->channels = channels;
    for (int64_t v = 0; v < channels; v++) {
        const __m512i at = _mm512_add_epi32(lanes, _mm512_set1_epi32((int32_t)v * LANES));
        const __m512i position = _mm512_srli_epi32(_mm512_mullo_epi32(at, inverse), 16);
        const __m512i before = _mm512_mullo_epi32(position, _mm512_set1_epi32((int32_t)channels));
        const __m512i channel = _mm512_sub_epi32(at, before);
        const __m512i second =
            _mm512_slli_epi32(_mm512_and_epi32(channel, _mm512_set1_epi32(1)), 4);
        t->from[v] = _mm512_or_epi32(position, second);
        for (int pair = 0; pair < INTERLEAVE_MAX / 2; pair++)
            t->pairs[v][pair] =
                _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(channel, 1), _mm512_set1_epi32(pair));
    }
}

/* Writes the channels of n positions, and nothing behind them; `room` is for the other form. */
INLINE void interleave_store(void *to, const struct interleave *t, const void *words, int64_t n,
                             int64_t room)
{
    const int64_t count = n * t->channels;
    const int32_t *from = words;
    __m512i c[INTERLEAVE_MAX];

    (void)room;
    for (int64_t i = 0; i < INTERLEAVE_MAX; i++)
        c[i] = _mm512_loadu_si512(from + i * LANES);
    for (int64_t v = 0; v * LANES < count; v++) {
        const int64_t left = count - v * LANES;
        __m512i r = _mm512_setzero_si512();
        for (int pair = 0; pair < INTERLEAVE_MAX / 2; pair++)
            if (2 * pair < t->channels)
                r = _mm512_or_epi32(r,
                                    _mm512_maskz_permutex2var_epi32(t->pairs[v][pair], c[2 * pair],
                                                                    t->from[v], c[2 * pair + 1]));
        _mm512_mask_storeu_epi32((int32_t *)to + v * LANES,
                                 lanes_before(left < LANES ? left : LANES), r);
    }
}

#else

enum { INTERLEAVE_BLOCK = 4 }; /* rows and columns that are transposed at a time */

struct interleave {
    int64_t channels;
};

INLINE void interleave_init(struct interleave *t, int64_t channels)
{
    t->channels = channels;
}

typedef int32_t quad __attribute__((vector_size(16)));
typedef int32_t quad_memory __attribute__((vector_size(16), aligned(4), may_alias));

/* Four channels of four positions; what is written beyond the channels is written again later. */
INLINE void interleave_block(int32_t *to, int64_t channels, const int32_t *from)
{
    const quad a = *(const quad_memory *)from, b = *(const quad_memory *)(from + LANES);
    const quad c = *(const quad_memory *)(from + 2 * LANES),
               d = *(const quad_memory *)(from + 3 * LANES);
    const quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const quad ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const quad cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);

    *(quad_memory *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(quad_memory *)(to + channels) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(quad_memory *)(to + 2 * channels) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
    *(quad_memory *)(to + 3 * channels) = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}

/*
 * n positions. Later channels come first and later positions last: so what stands out of a block is
 * overwritten, here or by the positions behind. Nothing is written from `room` words on.
 */
INLINE void interleave_store(void *words, const struct interleave *t, const void *channels,
                             int64_t n, int64_t room)
{
    const int64_t count = t->channels, last = (count - 1) / INTERLEAVE_BLOCK * INTERLEAVE_BLOCK;
    int32_t *to = words;
    const int32_t *from = channels;

    for (int64_t i = 0; i < n; i += INTERLEAVE_BLOCK) {
        if ((i + INTERLEAVE_BLOCK - 1) * count + last + INTERLEAVE_BLOCK <= room) {
            for (int64_t c = last; c >= 0; c -= INTERLEAVE_BLOCK)
                interleave_block(to + c, count, from + c * LANES);
        } else {
            for (int64_t p = 0; p < INTERLEAVE_BLOCK && i + p < n; p++)
                for (int64_t c = 0; c < count; c++)
                    memcpy(&to[p * count + c], &from[c * LANES + p], sizeof *to);
        }
        to += INTERLEAVE_BLOCK * count;
        from += INTERLEAVE_BLOCK;
    }
}

#endif

#endif
