/*
 * augment.h - which view of a picture a network sees: random crops and flips for training, the
 * centre for evaluation. The rules and roundings are torchvision's.
 *
 * A view is a function of (seed, sample, epoch), the size of the picture and the rule, and of
 * nothing else: it does not matter which worker or thread asks, or when. Rendering: view.h.
 */
#ifndef DATA_AUGMENT_H
#define DATA_AUGMENT_H

#include <stdint.h>

#include "data/view.h"

enum augment_crop {
    AUGMENT_CENTER,  /* the shorter side is resized, then the centre is kept */
    AUGMENT_PADDED,  /* zeros are added on all sides, then a random window is kept */
    AUGMENT_RESIZED, /* a random part of random size and shape is resized */
};

/* A zeroed struct with width and height is the centre without resizing. */
struct augment {
    enum augment_crop crop;
    int64_t width, height; /* of the views */
    int64_t short_side;    /* of AUGMENT_CENTER; 0: the picture is not resized */
    int64_t padding;       /* of AUGMENT_PADDED */
    double area[2];        /* of AUGMENT_RESIZED: least and largest part of the picture's area */
    double aspect[2];      /* of AUGMENT_RESIZED: least and largest width / height */
    bool is_flipping;      /* half of the views are mirrored */
};

/* The usual rules: Resize + CenterCrop, RandomCrop with padding, RandomResizedCrop; no flips. */
struct augment augment_center(int64_t width, int64_t height, int64_t short_side);
struct augment augment_padded(int64_t width, int64_t height, int64_t padding);
struct augment augment_resized(int64_t width, int64_t height); /* 8 to 100 %, 3/4 to 4/3 */

struct augment_key {
    uint64_t seed;
    int64_t sample; /* its number in the data set */
    int64_t epoch;
};

/*
 * The view of a picture of width x height pixels. A picture too small for AUGMENT_PADDED or
 * AUGMENT_CENTER is padded with zeros on both sides (torchvision rejects it for the first).
 */
struct view augment_view(const struct augment *a, int64_t width, int64_t height,
                         struct augment_key key);

#endif
