/*
 * reduce.c - sums and maxima over one array.
 *
 * Element i belongs to partial sum i % 16, in order, and the 16 are added as a tree: the result
 * depends on the elements and their number, not on where the array lies.
 */
#include "kernel/simd/functions.h"
#include "kernel/simd/math.h"

enum { PARTS = 16 };

static double tree_sum(double parts[PARTS])
{
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            parts[i] += parts[i + half];
    return parts[0];
}

double KERNEL(dot)(const float *x, const float *y, int64_t n)
{
    double parts[PARTS] = {0};
    int64_t i = 0;

    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++)
            parts[j] += (double)x[i + j] * (double)y[i + j];
    for (int j = 0; i + j < n; j++)
        parts[j] += (double)x[i + j] * (double)y[i + j];
    return tree_sum(parts);
}

double KERNEL(sum_abs)(const float *x, int64_t n)
{
    double parts[PARTS] = {0};
    int64_t i = 0;

    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++)
            parts[j] += (double)__builtin_fabsf(x[i + j]);
    for (int j = 0; i + j < n; j++)
        parts[j] += (double)__builtin_fabsf(x[i + j]);
    return tree_sum(parts);
}

/* The larger, or the one that is NaN. */
INLINE vec larger(vec a, vec b)
{
    return vec_select((b > a) | vec_is_nan(b), b, a);
}

float KERNEL(max_abs)(const float *x, int64_t n)
{
    vec most = vec_all(0.0F);
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES)
        most = larger(most, vec_abs(vec_load(x + i)));
    if (i < n)
        most = larger(most, vec_abs(vec_load_few(x + i, n - i, 0.0F)));

    for (int lane = 1; lane < LANES; lane++)
        most = larger(most, vec_all(most[lane]));
    return most[0];
}
