/*
 * array_samples.h - arrays of NumPy as samples: inputs of any shape, and labels or targets.
 */
#ifndef DATA_ARRAY_SAMPLES_H
#define DATA_ARRAY_SAMPLES_H

#include "data/dataset.h"
#include "format/file_array.h"

/* An array, and what messages call it: the file and its name there. */
struct named_array {
    struct file_array array;
    char *name;
};

/*
 * Inputs of the training part. [n][d] are d numbers each. [n][height][width] and
 * [n][height][width][channels] are images: bytes stay bytes, others become floats. So are
 * [n][channels][height][width] if the second dimension is 1 or 3 and the last is not. Sets the
 * shape of the data set.
 */
enum status array_samples_inputs(struct dataset *d, const struct named_array *inputs);

/* Labels (whole numbers) or targets (floats) of the training part, [n], [n][1] or, of targets,
 * [n][t]. Classes are the numbers that there are, sorted. */
enum status array_samples_outputs(struct dataset *d, const struct named_array *outputs);

/* Both of the test part, which must be of the same kind. */
enum status array_samples_test(struct dataset *d, const struct named_array *inputs,
                               const struct named_array *outputs);

#endif
