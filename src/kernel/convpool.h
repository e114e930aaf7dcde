/*
 * convpool.h - convolution, max pooling and ReLU in one: shapes, and the lists that its gradient
 * is made from.
 *
 * Only one position of each pooling window has a gradient, and only where ReLU lets it pass. So
 * both gradients are sums of weighted patches: dW of an output channel is the sum of the input
 * windows where it was largest, dX at a position that of the weights of the channels that were
 * largest there. A patch is `rows` runs of `run` floats; runs are padded to PATCH_ALIGN floats in
 * what we lay out ourselves, and read in whole vectors everywhere.
 */
#ifndef KERNEL_CONVPOOL_H
#define KERNEL_CONVPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/panel.h"

enum {
    PATCH_ALIGN = 8,  /* floats: what runs are padded to */
    CONVPOOL_FEW = 8, /* outputs */
    CONVPOOL_SLOT_BITS = 6,
    CONVPOOL_SLOTS_MAX = 1 << CONVPOOL_SLOT_BITS, /* positions that one output looks at */
    CONVPOOL_PAIR_KERNEL = 5, /* of a convolution whose rows may be computed in pairs */
    CONVPOOL_PAIR_POINTS = 6, /* products for the two instead of ten */
};

/* Stride 1; the input image has its border already. Pooling windows do not overlap. */
struct convpool_shape {
    int64_t channels, outputs; /* of the input, of the output */
    int64_t kernel;            /* of the convolution: rows of a window, each kernel * channels */
    int64_t row;               /* floats from one row of the input image to the next */
    int64_t pool;
    int64_t out_height, out_width; /* after pooling */
    bool relu;
    bool pairs; /* two rows at once by Winograd; for those that convpool_can_pair */
};

static inline int64_t convpool_run(const struct convpool_shape *s)
{
    return s->kernel * s->channels;
}

/* Floats that a run of `floats` takes where it is padded. */
static inline int64_t patch_room(int64_t floats)
{
    return (floats + PATCH_ALIGN - 1) / PATCH_ALIGN * PATCH_ALIGN;
}

/* Whether lanes may be positions instead of outputs. */
static inline bool convpool_is_few(const struct convpool_shape *s)
{
    return s->outputs <= CONVPOOL_FEW && s->pool == 2;
}

/* Whether the two rows that are pooled may be computed at once. */
static inline bool convpool_can_pair(const struct convpool_shape *s)
{
    return s->kernel == CONVPOOL_PAIR_KERNEL && s->pool == 2 && s->outputs > CONVPOOL_FEW;
}

/* Floats of a transformed row of the image; 16 more than a multiple of 32, for the cache. */
static inline int64_t convpool_pair_row(const struct convpool_shape *s)
{
    return (s->row + 31) / 32 * 32 + 16;
}

/* Rows of weights per panel: those of the kernel, or of the points. */
static inline int64_t convpool_weight_rows(const struct convpool_shape *s)
{
    return (s->pairs ? CONVPOOL_PAIR_POINTS : s->kernel) * convpool_run(s);
}

/* Columns of a row of the image of which every second one is taken. */
static inline int64_t convpool_half(const struct convpool_shape *s)
{
    return s->out_width + s->kernel / 2;
}

/*
 * Floats of the room that forward needs: for the convolution's rows below one row of outputs, and
 * the points of the image's rows if they are computed in pairs; or for the image with its columns
 * in another order and a vector behind.
 */
static inline int64_t convpool_strip(const struct convpool_shape *s)
{
    const int64_t pairs = s->pairs ? CONVPOOL_PAIR_POINTS * convpool_pair_row(s) : 0;
    const int64_t strip = s->pool * s->pool * s->out_width * PANEL + pairs;
    const int64_t rows = 2 * s->out_height + s->kernel - 1;
    const int64_t image = rows * 2 * convpool_half(s) * s->channels + PANEL;

    return convpool_is_few(s) && image > strip ? image : strip;
}

/* Patch i is factors[i * step] times what lies at offsets[i * step]. */
struct patches {
    const int32_t *offsets;
    const float *factors;
    int64_t step;
};

/* Where a sum goes: to + offset; of the patches first .. first + count - 1. */
struct patch_sum {
    int64_t offset, first, count;
};

struct patch_shape {
    int64_t rows, run;
    int64_t to_row, from_row; /* floats from one run to the next */
};

/*
 * The gradients of up to `room` pooled positions, as patches. A slot is one of the pool * pool
 * windows of a position. Arrays of offsets and factors have room for a vector behind.
 */
struct patch_lists {
    const struct convpool_shape *shape;
    int64_t weights;   /* floats of one output's patch of weights */
    int64_t positions; /* so far */
    int32_t *offsets;  /* [room][outputs]: input windows, all of them */
    float *factors;
    float *sums; /* [outputs]: the gradient by the biases is added */

    struct patch_sum *outputs; /* [outputs] */
    int32_t *output_offsets;   /* [outputs][room]: input windows that count */
    float *output_factors;

    int64_t window_count;
    struct patch_sum *windows; /* [room][slots]; NULL: not wanted */
    int32_t *window_offsets;   /* [room][slots][outputs]: patches of weights */
    float *window_factors;
};

/* `count` rows of one image's outputs. */
struct patch_rows {
    const float *dy;      /* [count][out_width][outputs] */
    const int32_t *where; /* the same; what forward wrote */
    int64_t first, count;
    int32_t image; /* the image's offset in what the patches are of */
};

#endif
