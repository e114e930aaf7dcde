/*
 * normalizer.h - the means and deviations by which the inputs of a data set are normalised.
 */
#ifndef DATA_NORMALIZER_H
#define DATA_NORMALIZER_H

#include "data/dataset.h"

/* x' = (x/255 - mean[c]) / std[c] for bytes, (x - mean[c]) / std[c] for floats. */
struct normalizer {
    float *mean, *std; /* [channels] each */
};

/*
 * `how`: "none" (bytes to [0,1]), "set" (one mean and std over all pixels and channels of the
 * training part, unbiased), "channel" (one each per channel), or "M,S" (numbers, or 2 x channels
 * numbers). The published constants are taken for "set" where the data set states them.
 * On failure n is empty.
 */
enum status normalizer_init(struct normalizer *n, const char *how, const struct dataset *d);

void normalizer_release(struct normalizer *n);

/* The measured figures of the training part: over everything (in each channel), or per channel. */
enum normalizer_scope { NORMALIZER_SET, NORMALIZER_CHANNEL };
void normalizer_measure(struct normalizer *n, enum normalizer_scope scope, const struct dataset *d);

#endif
