/*
 * resize.h - antialiased bilinear resizing of RGB bytes, equal to Pillow's
 * Image.resize(size, BILINEAR, box) in every bit.
 *
 * When a picture shrinks, each result is a mean of the pixels below it, weighted by a triangle that
 * grows with the reduction. data/gather.c resizes by PyTorch's rule, without this.
 *
 * The bits are those of Pillow before version 13. Pillow 13 resizes the height before the width if
 * it shrinks much more, which changes some bytes by 1.
 */
#ifndef DATA_RESIZE_H
#define DATA_RESIZE_H

#include <stdint.h>

/* A picture, or a part of one: pixels outside of it are never read. */
struct resize_source {
    const uint8_t *pixels; /* [height] rows of [width][3], row_bytes apart; borrowed */
    int64_t width, height, row_bytes;
};

/* Pixels of the source; fractions are allowed. */
struct resize_box {
    float left, top, right, bottom;
};

/* Whole pixels. */
struct pixel_box {
    int64_t x, y, width, height;
};

struct resize_target {
    struct resize_box box;   /* becomes the whole resized picture */
    int64_t width, height;   /* of the resized picture */
    struct pixel_box window; /* the part of it that is computed */
    int64_t row_bytes;       /* from row to row of the result */
};

/* The whole of a source to the whole of width x height. */
struct resize_target resize_whole(const struct resize_source *in, int64_t width, int64_t height);

/* Memory that is kept from call to call. A zeroed struct is empty; one thread at a time. */
struct resizer {
    uint8_t *block;
    int64_t capacity;
};

/* Writes window.height rows of [window.width][3]. */
void resize_bilinear(struct resizer *r, uint8_t *out, const struct resize_source *in,
                     const struct resize_target *t);
void resizer_release(struct resizer *r);

#endif
