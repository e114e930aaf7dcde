/*
 * vector.h - arithmetic on vectors of doubles that several folders need. Kernels have their own for
 * floats.
 */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <stdint.h>

/* |x|, by the sum of squares from the first to the last; 0 of no numbers. */
double vector_norm(const double *x, int64_t count);

#endif
