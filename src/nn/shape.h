/*
 * shape.h - the shape of one sample between two layers: height x width x channels, channel-last.
 *
 * A flat vector remembers the image it came from, because PyTorch flattens channels first: weights
 * of a dense layer after a flatten are written and initialised in (channel, y, x) order.
 */
#ifndef NN_SHAPE_H
#define NN_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct shape {
    int64_t height, width, channels;
    bool is_flat; /* counts as a vector of height*width*channels numbers */
};

static inline int64_t shape_size(struct shape s)
{
    return s.height * s.width * s.channels;
}

static inline struct shape shape_vector(int64_t n)
{
    return (struct shape){.height = 1, .width = 1, .channels = n, .is_flat = true};
}

/* "16x5x5" (channels first, as papers write it) or "400". */
void shape_text(struct shape s, struct text *out);

#endif
