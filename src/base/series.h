/*
 * series.h - logarithm and exponential whose bits do not depend on the C library: what is made of
 * random numbers with them (normal numbers, delays, proportions) is the same on every system.
 *
 * Within a few units in the last place. Kernels have their own for floats.
 */
#ifndef BASE_SERIES_H
#define BASE_SERIES_H

double series_log(double x); /* x > 0, finite, normal */
double series_exp(double x); /* 0 below -708, infinity above 709; NaN stays NaN */

#endif
