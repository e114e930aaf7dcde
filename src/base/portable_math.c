/*
 * portable_math.c - log, exp and cosine by short series over a reduced argument, and powers. Calls
 * nothing of the C library.
 */
#include "base/portable_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * x = m 2^e with m near 1, and log m = 2 atanh(s), s = (m - 1) / (m + 1); |s| < 0.172, so that
 * eleven terms reach the last bit.
 */
double portable_log(double x)
{
    uint64_t bits;
    double m;

    memcpy(&bits, &x, sizeof bits);

    int exponent = (int)(bits >> 52) - 1022;

    bits = (bits & 0x000fffffffffffffU) | 0x3fe0000000000000U; /* m in [1/2, 1) */
    memcpy(&m, &bits, sizeof m);
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }

    const double s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 1.0 / 21;

    for (int k = 9; k >= 0; k--)
        sum = sum * s2 + 1.0 / (2 * k + 1);
    return exponent * 0.69314718055994531 + 2 * s * sum;
}

/*
 * exp x = 2^n exp r with |r| <= log(2) / 2; log 2 in two parts, the first with zeros at its end, so
 * that n times it is exact. Fourteen terms of Taylor's series reach the last bit.
 */
double portable_exp(double x)
{
    const double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;

    if (x > 709.0)
        return (double)INFINITY;
    if (x < -708.0)
        return 0;
    if (isnan(x))
        return x;

    const int n = (int)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    const double r = (x - n * high) - n * low;
    const uint64_t bits = (uint64_t)(n + 1022) << 52;
    double sum = 1, half_scale;

    for (int k = 14; k >= 1; k--)
        sum = 1 + sum * r / k;
    memcpy(&half_scale, &bits, sizeof half_scale); /* 2^(n-1): 2^n overflows at n = 1024 */
    return sum * half_scale * 2;
}

double portable_pow(double x, double y)
{
    return y == 1 ? x : portable_exp(y * portable_log(x));
}

double portable_power(double base, int64_t exponent)
{
    double result = 1;

    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result *= base;
        base *= base;
    }
    return result;
}

/* The nearest quarter turn q, and a Taylor series for the rest. */
double portable_cos_turn(double u)
{
    const int q = (int)(4 * u + 0.5);
    const double t = (4 * u - q) * 1.57079632679489662; /* in [-pi/4, pi/4] */
    const double t2 = t * t;
    const int is_sine = q & 1;
    double sum = 1;

    for (int k = 8; k >= 1; k--)
        sum = 1 - sum * t2 / ((2 * k) * (2 * k - 1 + 2 * is_sine));
    if (is_sine)
        sum *= t;
    return q == 1 || q == 2 ? -sum : sum;
}
