/*
 * gather.h - from numbers of samples to a batch of floats: gather, resize (bilinear), normalise.
 */
#ifndef DATA_GATHER_H
#define DATA_GATHER_H

#include "data/normalizer.h"

/* How a data set's samples become the model's input. */
struct gather {
    const struct dataset *dataset; /* borrowed */
    struct normalizer normalizer;
    int64_t height, width; /* of the model's input; equal to the set's: no resizing */
};

/*
 * Writes samples numbers[0..n-1] of `part` as out[n][height][width][channels]. Bilinear as
 * PyTorch's interpolate(align_corners=False, antialias=False). Thread-safe; callers split n.
 */
void gather_inputs(float *out, const struct gather *g, const struct samples *part,
                   const int64_t *numbers, int64_t n);
void gather_labels(int32_t *out, const struct samples *part, const int64_t *numbers, int64_t n);
void gather_targets(float *out, const struct samples *part, int64_t target_size,
                    const int64_t *numbers, int64_t n);

#endif
