/*
 * winograd.h - 3x3 convolutions of a batch by Winograd, as far as the layers that use it are alike:
 * tiles of images, transformed weights, and the products with them. What becomes of the products is
 * the layer's own.
 *
 * Not here: transforms and products (kernel/simd/winograd.c), the gradient by the weights
 * (conv_winograd.c).
 */
#ifndef NN_LAYERS_WINOGRAD_H
#define NN_LAYERS_WINOGRAD_H

#include "nn/layer.h"
#include "nn/layers/support.h"

/*
 * An image and how tiles lie on it: tile (y, x) begins at pixel (step y - pad, step x - pad) and
 * has size x size pixels.
 */
struct winograd_plane {
    int64_t height, width, channels;
    int64_t pad, step, size;
};

/* How images are cut; tiles are numbered over the whole batch. */
struct winograd_tiling {
    int64_t rows, columns; /* tiles of an image */
};

/* So many that they cover the image. */
struct winograd_tiling winograd_tiling_of(const struct winograd_plane *p);

/* Where a tile is: its image, row, column. */
struct winograd_tile {
    int64_t image, row, column;
};

/* One tile after the other, with an eye on the one that comes `distance` later. */
struct winograd_walk {
    const struct winograd_plane *plane;
    const struct winograd_tiling *tiling;
    struct winograd_tile here, ahead;
};

struct winograd_walk winograd_walk_from(const struct winograd_plane *p,
                                        const struct winograd_tiling *t, int64_t tile,
                                        int64_t distance);

/* The pixels of the next tile; answers where its first pixel inside lies. */
int64_t winograd_walk_next(struct winograd_walk *k, struct winograd_window *w);

/* `count` transformed tiles of images with this many channels. */
struct winograd_strides winograd_strides_of(int64_t channels, int64_t count);

static inline int64_t winograd_panels(int64_t channels)
{
    return (channels + PANEL - 1) / PANEL;
}

typedef void winograd_to_points(float *v, const struct winograd_strides *s, const float *x,
                                const struct winograd_window *w, int64_t channels);
typedef void winograd_weights(float *u, int64_t point, const float *w, int64_t tap, int64_t rows);

/* A way to points: 36 of a tile, or 81 with stride 2. */
struct winograd_way {
    int64_t points;
    winograd_to_points *tile;
    winograd_weights *weights;
};

/* A convolution of a whole batch. */
struct winograd {
    const struct layer_pass *pass;
    struct winograd_way way;
    struct winograd_plane in, out;
    struct winograd_tiling tiling; /* of out */
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

/* The scratch it needs for tiles of so many points, inputs, outputs: shared, and of each thread. */
int64_t winograd_shared_floats(int64_t points, int64_t inputs, int64_t outputs);
int64_t winograd_thread_floats(int64_t points, int64_t inputs, int64_t outputs);

#endif
