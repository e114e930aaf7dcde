/*
 * pictures.h - pictures of what a run has: its confusion matrix, and some of its training images.
 */
#ifndef RECORD_PICTURES_H
#define RECORD_PICTURES_H

#include "format/png.h"
#include "record/confusion.h"

/* A heat map with a square per cell: rows are true classes from the top, columns are answers. The
 * darker, the larger the share of the samples of that class. */
void pictures_confusion(const struct confusion *c, struct png_picture *p);

/* Images of one size; borrowed. */
struct picture_images {
    int64_t count, height, width;
    int channels;          /* 1 or 3 */
    const uint8_t *pixels; /* [count][height][width][channels] */
};

/* Next to each other, in rows of eight. */
void pictures_grid(const struct picture_images *images, struct png_picture *p);

#endif
