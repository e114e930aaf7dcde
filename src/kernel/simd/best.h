/*
 * best.h - the largest of several vectors, lane by lane, and where it came from: max pooling, and
 * ReLU behind it. The first of equals wins, and NaN wins over all.
 */
#ifndef KERNEL_SIMD_BEST_H
#define KERNEL_SIMD_BEST_H

#include "kernel/simd/vector.h"

struct best {
    vec value;
    ivec place;
};

#if LANES == 16

INLINE void best_take(struct best *b, vec v, ivec place)
{
    const __m512 value = (__m512)v;
    const __mmask16 better = _mm512_cmp_ps_mask(value, (__m512)b->value, _CMP_GT_OQ) |
                             _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);

    b->value = (vec)_mm512_mask_mov_ps((__m512)b->value, better, value);
    b->place = (ivec)_mm512_mask_mov_epi32((__m512i)b->place, better, (__m512i)place);
}

/* ReLU: nothing comes from where it lets no gradient pass. The maximum is its second operand if
 * that is NaN. */
INLINE void best_relu(struct best *b, int32_t nowhere)
{
    const __m512 zero = _mm512_setzero_ps();
    const __mmask16 cut = _mm512_cmp_ps_mask((__m512)b->value, zero, _CMP_LE_OQ);

    b->place = (ivec)_mm512_mask_set1_epi32((__m512i)b->place, cut, nowhere);
    b->value = (vec)_mm512_max_ps(zero, (__m512)b->value);
}

#else

INLINE void best_take(struct best *b, vec v, ivec place)
{
    const ivec better = (v > b->value) | (v != v);

    b->value = vec_select(better, v, b->value);
    b->place = ivec_select(better, place, b->place);
}

INLINE void best_relu(struct best *b, int32_t nowhere)
{
    const vec zero = vec_all(0.0F);

    b->place = ivec_select(b->value <= zero, nowhere - (ivec){0}, b->place);
    b->value = vec_select(b->value < zero, zero, b->value);
}

#endif

#endif
