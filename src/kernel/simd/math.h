/*
 * math.h - exp, log, tanh, sigmoid, sine and cosine of a vector of floats, without libm.
 *
 * Relative errors are below 4e-7 (a few units in the last place), those of sine and cosine absolute
 * and below 1e-6 for |x| <= 1e4. Infinities, NaN and denormal numbers come out as in C99. The
 * polynomials of exp, log and tanh are those of S. Moshier's Cephes library, the one of sine is of
 * SLEEF (N. Shibata): they are minimax on the reduced range.
 */
#ifndef KERNEL_SIMD_MATH_H
#define KERNEL_SIMD_MATH_H

#include "kernel/simd/vector.h"

/* Adding it to |x| < 2^22 leaves the nearest integer of x in the low bits of the sum. */
#define ROUNDER 12582912.0F /* 1.5 * 2^23 */

/* 2^n for -126 <= n <= 127 */
INLINE vec vec_power2(ivec n)
{
    return (vec)(((uvec)n + 127) << 23);
}

INLINE vec vec_abs(vec x)
{
    return (vec)((ivec)x & INT32_MAX);
}

/* The sign bit of x in place, the other bits 0. */
INLINE ivec vec_sign(vec x)
{
    return (ivec)x & INT32_MIN;
}

INLINE vec vec_exp(vec x)
{
    /* Beyond these the result is infinity or 0 already; NaN passes both comparisons. */
    x = vec_select(x > 89.0F, vec_all(89.0F), x);
    x = vec_select(x < -104.0F, vec_all(-104.0F), x);

    /* x = n log 2 + r; the first part of log 2 has so few bits that its product is exact. */
    const vec shifted = x * 1.44269504088896341F + ROUNDER;
    const vec n = shifted - ROUNDER;
    const ivec bits = (ivec)((uvec)shifted - (uvec)vec_all(ROUNDER));
    const vec r = (x - n * 0.693359375F) - n * -2.12194440e-4F;

    vec p = vec_all(1.9875691500e-4F);
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * (r * r) + (r + 1.0F);

    /* n is in -150 .. 128, more than one exponent holds. */
    const ivec half = bits >> 1;
    return p * vec_power2(half) * vec_power2((ivec)((uvec)bits - (uvec)half));
}

INLINE vec vec_log(vec x)
{
    const ivec tiny = x < 1.17549435e-38F; /* denormal, zero or negative */
    const vec scaled = vec_select(tiny, x * 8388608.0F, x);
    const vec offset = vec_select(tiny, vec_all(23.0F), vec_all(0.0F));

    /* scaled = m 2^e with m in [sqrt(1/2), sqrt(2)); f = m - 1 */
    const uvec root = (uvec)vec_all(0.707106781186547524F);
    const ivec exponent = (ivec)((uvec)scaled - root) >> 23;
    const vec m = (vec)((uvec)scaled - ((uvec)exponent << 23));
    const vec e = __builtin_convertvector(exponent, vec) - offset;
    const vec f = m - 1.0F;

    vec p = vec_all(7.0376836292e-2F);
    p = p * f - 1.1514610310e-1F;
    p = p * f + 1.1676998740e-1F;
    p = p * f - 1.2420140846e-1F;
    p = p * f + 1.4249322787e-1F;
    p = p * f - 1.6668057665e-1F;
    p = p * f + 2.0000714765e-1F;
    p = p * f - 2.4999993993e-1F;
    p = p * f + 3.3333331174e-1F;

    const vec square = f * f;
    vec y = f * square * p;
    y = e * -2.12194440e-4F + y;
    y = square * -0.5F + y;
    y = e * 0.693359375F + (f + y);

    const vec infinity = vec_all(__builtin_inff());
    y = vec_select(x == infinity, infinity, y);
    y = vec_select(x == 0.0F, -infinity, y);
    return vec_select(x >= 0.0F, y, vec_all(__builtin_nanf("")));
}

INLINE vec vec_tanh(vec x)
{
    const vec a = vec_abs(x);

    /* |x| < 0.625: an odd polynomial */
    const vec z = x * x;
    vec p = vec_all(-5.70498872745e-3F);
    p = p * z + 2.06390887954e-2F;
    p = p * z - 5.37397155531e-2F;
    p = p * z + 1.33314422036e-1F;
    p = p * z - 3.33332819422e-1F;
    const vec near = p * z * x + x;

    const vec far = 1.0F - 2.0F / (vec_exp(a + a) + 1.0F);
    return vec_select(a < 0.625F, near, (vec)((ivec)far | vec_sign(x)));
}

INLINE vec vec_sigmoid(vec x)
{
    return 1.0F / (vec_exp(-x) + 1.0F);
}

/* sin(r) for |r| <= 1.6 */
INLINE vec vec_sin_reduced(vec r)
{
    const vec z = r * r;
    vec p = vec_all(2.6083159809786593541503e-06F);
    p = p * z - 0.0001981069071916863322258F;
    p = p * z + 0.00833307858556509017944336F;
    p = p * z - 0.166666597127914428710938F;
    return z * (p * r) + r;
}

/*
 * x - n pi, n a multiple of 1/2. Where x - n p is rounded once, the two parts of pi may have all
 * their bits; elsewhere the first two have 8 and 11, so that their products with n < 2^13 are
 * exact.
 */
INLINE vec vec_reduce(vec x, vec n)
{
#ifdef __FP_FAST_FMAF
    return (x - n * 3.14159274101257324F) - n * -8.74227765734758577e-8F;
#else
    return ((x - n * 3.140625F) - n * 9.67502593994140625e-4F) - n * 1.509957990978376432e-7F;
#endif
}

/* x, but 0 where it is so large that its turns cannot be told any more; infinity becomes NaN. */
INLINE vec vec_angle(vec x)
{
    return x - (vec)((ivec)x & (vec_abs(x) > 1e5F));
}

INLINE vec vec_sin(vec x)
{
    /* x = n pi + r, sin x = (-1)^n sin r: the parity of n becomes the sign. */
    x = vec_angle(x);
    const vec shifted = x * 0.318309886183790672F + ROUNDER;
    const uvec odd = (uvec)shifted << 31;
    const vec r = vec_reduce(x, shifted - ROUNDER);

    return (vec)((uvec)vec_sin_reduced(r) ^ odd);
}

INLINE vec vec_cos(vec x)
{
    /* x = (n + 1/2) pi + r, cos x = -(-1)^n sin r */
    x = vec_angle(x);
    const vec shifted = (x * 0.318309886183790672F - 0.5F) + ROUNDER;
    const uvec even = ~(uvec)shifted << 31;
    const vec r = vec_reduce(x, (shifted - ROUNDER) + 0.5F);

    return (vec)((uvec)vec_sin_reduced(r) ^ even);
}

#endif
