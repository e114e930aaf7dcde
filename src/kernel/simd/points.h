/*
 * points.h - from six pixels in a row to their values at Winograd's points 0, 1, -1, 2, -2 and
 * infinity, which F(4,3) and F(2,5) have in common.
 *
 *            | 4  0 -5  0  1  0 |
 *            | 0 -4 -4  1  1  0 |
 *      B^T = | 0  4 -4 -1  1  0 |
 *            | 0 -2 -1  2  1  0 |
 *            | 0  2 -1 -2  1  0 |
 *            | 0  4  0 -5  0  1 |
 */
#ifndef KERNEL_SIMD_POINTS_H
#define KERNEL_SIMD_POINTS_H

#include "kernel/simd/vector.h"

/* B^T d; elements of d are `step` apart. */
INLINE void patch_to_points(vec o[6], const vec *d, int step)
{
    const vec d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step],
              d5 = d[5 * step];
    const vec a = d4 - 4.0F * d2, b = d3 - 4.0F * d1, c = d4 - d2, e = d3 - d1;

    o[0] = 4.0F * d0 + (d4 - 5.0F * d2);
    o[1] = a + b;
    o[2] = a - b;
    o[3] = c + 2.0F * e;
    o[4] = c - 2.0F * e;
    o[5] = 4.0F * d1 + (d5 - 5.0F * d3);
}

#endif
