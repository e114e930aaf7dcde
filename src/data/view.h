/*
 * view.h - the part of a picture that a network sees: a crop, resized, of which a window is kept,
 * possibly mirrored.
 *
 * Here: rendering. Which view a sample has in an epoch: augment.h.
 */
#ifndef DATA_VIEW_H
#define DATA_VIEW_H

#include <stdbool.h>

#include "data/resize.h"

struct view {
    struct pixel_box crop;   /* of the picture */
    int64_t width, height;   /* of the crop after it was resized */
    struct pixel_box window; /* of the resized crop; what is outside of it becomes 0 */
    bool is_flipped;         /* left and right are exchanged, after all else */
};

/* Writes out[window.height][window.width][3]. Pixels outside of the crop are never read. */
void view_render(struct resizer *r, uint8_t *out, const struct resize_source *picture,
                 const struct view *v);

#endif
