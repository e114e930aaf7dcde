/*
 * few.h - what the kernels of convolutions with few input channels take.
 *
 * A whole kernel of such a convolution has so few weights that they stay in the first-level cache,
 * and a sum is over after some dozens of products. So many output channels are made at once, and
 * products with zeros of the border are left out: an output has a list of those of its inputs that
 * lie inside the image.
 */
#ifndef KERNEL_FEW_H
#define KERNEL_FEW_H

#include "kernel/panel.h"

enum {
    FEW_PANELS = 2,             /* of the output, that few_gradient takes at once */
    FEW_GROUP_MOST = 4 * PANEL, /* channels that few_product takes at once */
};

/* An input of a window: its place from where the window begins, and that of its weights. */
struct few_tap {
    int32_t x, w;
};

/*
 * Lines of `count` windows that have the same taps inside of the image, beside or below each other.
 * `line` and `out_line` lead from one line to the next.
 */
struct few_windows {
    const float *image;
    int64_t first, step; /* the first one begins at image[first], which may lie outside */
    int64_t count;
    int64_t out_step; /* floats from the outputs of one window to those of the next */
    int64_t lines, line, out_line;
    const struct few_tap *taps;
    int64_t tap_count;
};

/*
 * Weights and biases of `columns` channels in groups of kernel.few_group, filled up: a group has
 * the weights of its first tap, then those of its second one, and so on, so that what a tile reads
 * leaves no gaps. In rows of all channels it would, and they would fall on few sets of the cache.
 */
struct few_weights {
    const float *weights, *bias;
    int64_t columns, group;
    int64_t taps; /* of the whole kernel */
};

/*
 * Lines of `count` windows in an image that has its border, and `run` inputs of each, one behind
 * the other. No inputs: only the outputs count.
 */
struct few_inputs {
    const float *x;      /* the first input of the first window */
    int64_t lines, line; /* `line` floats from one to the next */
    int64_t count, step; /* `step` floats from one window to the next */
    int64_t run;
};

/* The gradient by the outputs of all those windows: `columns` of each, `stride` apart. */
struct few_output {
    const float *data;
    int64_t stride, columns; /* columns <= FEW_PANELS * PANEL */
    const float *next;       /* fetched meanwhile, `ahead` floats of it with every window */
    int64_t ahead;
};

#endif
