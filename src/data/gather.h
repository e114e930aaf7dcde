/*
 * gather.h - from numbers of samples to a batch of floats: gather, resize (bilinear), normalise.
 */
#ifndef DATA_GATHER_H
#define DATA_GATHER_H

#include "data/normalizer.h"
#include "data/preparation.h"

/* How a data set's samples become the model's input. */
struct gather {
    const struct dataset *dataset; /* borrowed */
    struct normalizer normalizer;
    int64_t height, width; /* of the model's input; equal to the set's: no resizing */
    struct preparation preparation;
    bool subtracts_mean_image; /* of the sample's source */
};

/*
 * Writes samples numbers[0..n-1] of `part` as out[n][height][width][channels]. Bilinear as
 * PyTorch's interpolate(align_corners=False, antialias=False). Thread-safe; callers split n.
 */
void gather_inputs(float *out, const struct gather *g, const struct samples *part,
                   const int64_t *numbers, int64_t n);

/* The same of samples that were prepared: bytes[n][height][width][channels]. */
void gather_prepared(float *out, const struct gather *g, const struct samples *part,
                     const int64_t *numbers, const uint8_t *bytes, int64_t n);

/* Prepares each sample and gathers it. */
enum status gather_views(float *out, const struct gather *g, const struct samples *part,
                         const struct sample_view *view, const int64_t *numbers, int64_t n);

void gather_labels(int32_t *out, const struct samples *part, const int64_t *numbers, int64_t n);
void gather_targets(float *out, const struct samples *part, int64_t target_size,
                    const int64_t *numbers, int64_t n);

#endif
