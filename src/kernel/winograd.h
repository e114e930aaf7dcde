/*
 * winograd.h - the arrays of Winograd's minimal filtering F(4x4,3x3), of strides 1 and 2.
 *
 * An output tile of 4x4 pixels comes from 6x6 pixels of the input:
 *
 *     Y = A^T [ (G g G^T) . (B^T d B) ] A
 *
 * with 36 products per channel pair instead of 144; "." over channels is a matrix product for each
 * of the 36 points. By the weights, dg = G^T [ (B^T d B) . (A dY A^T) ] G, summed over tiles.
 *
 * With stride 2 the outer taps of a row meet even pixels and the middle one odd pixels. Two taps on
 * every second pixel are F(4,2), 5 products of 4 outputs; the middle tap takes 4. That makes 9 in
 * each direction, and 81 instead of 144 for a tile, which comes from 9x9 pixels. The 4 products of
 * the middle tap have the same weight, so that weights have 6 points in each direction: 36 again,
 * each with 1, 4 or 16 points of the tile (winograd_share). The gradient by the input is F(4,2) for
 * pixels of the outer taps, and again 4 products for those of the middle one: from 5x5 pixels of
 * the output's gradient to 8x8 of the input's.
 *
 * Transformed arrays hold their channels in panels of 16; behind the last channel lies anything:
 *     tiles:   [point][panel][tile][16]     weights:   [point][row][16], one panel of outputs
 * Points lie `point` floats apart, a little more than the data, since 36 addresses that differ by a
 * power of two would fall on the same cache lines.
 *
 * Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.
 */
#ifndef KERNEL_WINOGRAD_H
#define KERNEL_WINOGRAD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/panel.h"

enum {
    WINOGRAD_TILE = 4,    /* outputs of a tile, in each direction */
    WINOGRAD_PATCH = 6,   /* inputs of a tile */
    WINOGRAD_SIDE = 6,    /* points of the weights, in each direction */
    WINOGRAD_POINTS = 36, /* of the weights, and of a tile with stride 1 */

    STRIDED_PATCH = 9,    /* inputs of a tile with stride 2 */
    STRIDED_GRADIENT = 5, /* outputs that the gradient of 8 inputs comes from */
    STRIDED_SIDE = 9,     /* points of a tile, in each direction */
    STRIDED_POINTS = 81,
};

/* Points of a tile that have the same weights: first .. first+count-1. */
struct winograd_share {
    int64_t first, count;
};

/* Those of the weights' point x, where tiles have this many points. */
static inline struct winograd_share winograd_share(int64_t points, int64_t x)
{
    const int64_t i = x / WINOGRAD_SIDE, j = x % WINOGRAD_SIDE, middle = WINOGRAD_SIDE - 1;

    if (points == WINOGRAD_POINTS)
        return (struct winograd_share){x, 1};
    if (i < middle)
        return (struct winograd_share){i * STRIDED_SIDE + j, j < middle ? 1 : 4};
    return (struct winograd_share){middle * STRIDED_SIDE + j * 4, j < middle ? 4 : 16};
}

/* The number of a tile's point (i, j) with stride 2; indices from 5 on are the middle tap's. */
static inline int64_t strided_point(int64_t i, int64_t j)
{
    const int64_t middle = WINOGRAD_SIDE - 1;

    if (i < middle)
        return i * STRIDED_SIDE + j;
    return middle * STRIDED_SIDE +
           (j < middle ? j * 4 + i - middle : middle * 4 + (i - middle) * 4 + j - middle);
}

/* Floats from one point to the next where a point has this many: an odd number of cache lines. */
static inline int64_t winograd_stride(int64_t floats)
{
    return (floats + 15) / 16 * 16 + (floats % 32 == 0 ? 16 : 0);
}

/*
 * Pixels that a later tile will need, to be asked for now: what a tile touches lies in many short
 * pieces, which the processor does not foresee. Nothing, if there are no rows.
 */
struct winograd_ahead {
    int64_t first; /* floats from the window's pointer */
    int64_t rows, columns;
};

/*
 * The part of a tile or patch that lies in the image: rows top .. bottom-1, columns left ..
 * right-1. The pointer that goes with it is that of the first pixel inside, (top, left).
 */
struct winograd_window {
    int64_t row, pixel; /* floats from a row to the next, from a pixel to the next */
    int64_t top, bottom, left, right;
    struct winograd_ahead ahead;
};

/* What a tile of outputs is made of. */
struct winograd_sources {
    const float *m; /* its points, `point` floats apart */
    int64_t point;
    const float *bias; /* of the channels; NULL: none */
    bool add;          /* to what is there */
};

/*
 * What max pooling of 2x2 or 4x4 makes of a tile of outputs, of which it leaves rows x columns. A
 * position of the tile has the offset origin + i * origin_row + j * origin_pixel in `where`
 * (convpool.h).
 */
struct winograd_pooling {
    int64_t pool, rows, columns;
    int64_t row, pixel; /* floats from one pooled output to the next */
    int64_t origin, origin_row, origin_pixel;
    bool relu;
};

/* Transformed tiles. */
struct winograd_strides {
    int64_t point, panel;
};

#endif
