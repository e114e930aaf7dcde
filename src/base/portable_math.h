/*
 * portable_math.h - logarithm, exponential, powers and cosine whose bits do not depend on the C
 * library: what is made of random numbers (normal numbers, delays, proportions) and the learning
 * rates of schedules are the same on every system.
 *
 * Within a few units in the last place where nothing else is said. Kernels have their own for
 * floats.
 */
#ifndef BASE_PORTABLE_MATH_H
#define BASE_PORTABLE_MATH_H

#include <stdint.h>

double portable_log(double x); /* x > 0, finite, normal */
double portable_exp(double x); /* 0 below -708, infinity above 709; NaN stays NaN */

/* x^y by exp(y log x): relative error about 2^-52 |y log x|. 1 at y = 0, x at y = 1. */
double portable_pow(double x, double y); /* x as for portable_log */

/* base^exponent by squaring: relative error at most about 2^-53 exponent. */
double portable_power(double base, int64_t exponent); /* exponent >= 0 */

/* cos(2 pi u); exact at multiples of a quarter turn. */
double portable_cos_turn(double u); /* 0 <= u <= 1 */

#endif
