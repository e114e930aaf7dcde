/*
 * winograd.h - 3x3 convolutions of a batch by Winograd F(4x4,3x3), as far as the layers that use it
 * are alike: tiles of images, transformed weights, and the products with them. What becomes of the
 * products is the layer's own.
 *
 * Not here: transforms and products (kernel/simd/winograd.c), the gradient by the weights
 * (conv_winograd.c).
 */
#ifndef NN_LAYERS_WINOGRAD_H
#define NN_LAYERS_WINOGRAD_H

#include "nn/layer.h"
#include "nn/layers/support.h"

/* An image and how tiles lie on it: tile (y, x) begins at pixel (4y - pad, 4x - pad). */
struct plane {
    int64_t height, width, channels, pad;
};

/* How images are cut; tiles are numbered over the whole batch. */
struct tiling {
    int64_t rows, columns; /* tiles of an image */
};

struct tiling tiling_of(int64_t height, int64_t width);

/* The window of `size` pixels of one tile; answers where its first pixel inside lies. */
int64_t tile_window(struct winograd_window *w, const struct plane *p, const struct tiling *t,
                    int64_t tile, int64_t size);

/* `count` transformed tiles of images with this many channels. */
struct winograd_strides winograd_strides_of(int64_t channels, int64_t count);

static inline int64_t winograd_panels(int64_t channels)
{
    return (channels + PANEL - 1) / PANEL;
}

/* A convolution of a whole batch. */
struct winograd {
    const struct layer_pass *pass;
    struct plane in, out;
    struct tiling tiling; /* of out */
    const float *from, *weights;
    bool is_rotated; /* by the input: inputs and outputs of the weights change places */
    /* Takes the products [point][tile][16] of some tiles with one panel of outputs. */
    void (*finish)(const struct winograd *k, const float *m, int64_t panel,
                   struct item_range tiles);
    const void *context; /* of finish */

    /* filled by winograd_convolve */
    int64_t m_point;
    int64_t first, count; /* tiles of this wave, in a deep convolution */
};

void winograd_convolve(struct winograd *k);

/* The scratch it needs for this many inputs and outputs: shared, and of each thread. */
int64_t winograd_shared_floats(int64_t inputs, int64_t outputs);
int64_t winograd_thread_floats(int64_t inputs, int64_t outputs);

#endif
