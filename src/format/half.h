/*
 * half.h - 16-bit floats as files have them, as float: both types fit into it exactly.
 */
#ifndef FORMAT_HALF_H
#define FORMAT_HALF_H

#include <stdint.h>
#include <string.h>

static inline float half_from_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* bfloat16: the upper half of a float. */
static inline float half_from_bf16(uint16_t bits)
{
    return half_from_bits((uint32_t)bits << 16);
}

/* IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction. */
static inline float half_from_f16(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    const uint32_t exponent = bits >> 10 & 0x1fu, fraction = bits & 0x3ffu;

    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24 */
        const float value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    if (exponent == 0x1f) /* infinity or NaN */
        return half_from_bits(sign | 0x7f800000u | fraction << 13);
    return half_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

#endif
