/*
 * portable_math.h - logarithm and exponential whose bits do not depend on the C library: what is
 * made of random numbers (normal numbers, delays, proportions) is the same on every system.
 *
 * Within a few units in the last place. Kernels have their own for floats.
 */
#ifndef BASE_PORTABLE_MATH_H
#define BASE_PORTABLE_MATH_H

double portable_log(double x); /* x > 0, finite, normal */
double portable_exp(double x); /* 0 below -708, infinity above 709; NaN stays NaN */

#endif
