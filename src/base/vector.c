/*
 * vector.c - see vector.h.
 */
#include "base/vector.h"

#include <math.h>

double vector_norm(const double *x, int64_t count)
{
    double square = 0;

    for (int64_t i = 0; i < count; i++)
        square += x[i] * x[i];
    return sqrt(square);
}
