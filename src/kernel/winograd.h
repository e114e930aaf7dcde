/*
 * winograd.h - the arrays of Winograd's minimal filtering F(4x4,3x3).
 *
 * An output tile of 4x4 pixels comes from 6x6 pixels of the input:
 *
 *     Y = A^T [ (G g G^T) . (B^T d B) ] A
 *
 * with 36 products per channel pair instead of 144; "." over channels is a matrix product for each
 * of the 36 points. By the weights, dg = G^T [ (B^T d B) . (A dY A^T) ] G, summed over tiles.
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
    WINOGRAD_POINTS = 36, /* products of a tile */
};

/* Floats from one point to the next where a point has this many: an odd number of cache lines. */
static inline int64_t winograd_stride(int64_t floats)
{
    return (floats + 15) / 16 * 16 + (floats % 32 == 0 ? 16 : 0);
}

/*
 * The part of a tile or patch that lies in the image: rows top .. bottom-1, columns left ..
 * right-1. The pointer that goes with it is that of the first pixel inside, (top, left).
 */
struct winograd_window {
    int64_t row, pixel; /* floats from a row to the next, from a pixel to the next */
    int64_t top, bottom, left, right;
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
