/*
 * dataset_mean.h - whether the files of a data set are likely those of another one, by the mean of
 * their pixels. MNIST and Fashion-MNIST have files of the same names and sizes.
 */
#ifndef DATA_DATASET_MEAN_H
#define DATA_DATASET_MEAN_H

#include "base/text.h"
#include "data/dataset.h"

/* Says what is odd about the mean; adds nothing where it is as it should be, or where the set is
 * neither as large as the published one nor like another. */
void dataset_mean_doubt(const struct dataset *d, struct text *doubt);

/* The same of a mean that is known; count: of the training images. */
void dataset_mean_doubt_of(const struct dataset_ops *ops, int64_t count, double mean,
                           struct text *doubt);

#endif
