/*
 * batch.h - from numbers of samples to floats: gather, resize (bilinear), normalise.
 */
#ifndef DATA_BATCH_H
#define DATA_BATCH_H

#include "data/dataset.h"

enum { BATCH_CHANNELS_MAX = 16 };

/* x' = (x/255 - mean[c]) / std[c] for bytes, (x - mean[c]) / std[c] for floats. */
struct normalizer {
    float mean[BATCH_CHANNELS_MAX], std[BATCH_CHANNELS_MAX];
};

/*
 * `how`: "none" (bytes to [0,1]), "set" (one mean and std over all pixels and channels of the
 * training part, unbiased), "channel" (one each per channel), or "M,S" (numbers, or 2 x channels
 * numbers). The published constants are taken for "set" where the data set states them.
 */
enum status normalizer_init(struct normalizer *n, const char *how, const struct dataset *d);

/* The measured figures of the training part: over everything (in each channel), or per channel. */
enum normalizer_scope { NORMALIZER_SET, NORMALIZER_CHANNEL };
void normalizer_measure(struct normalizer *n, enum normalizer_scope scope, const struct dataset *d);

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
