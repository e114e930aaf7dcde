/*
 * initial_weights.h - the weights of a file (train.init) with which all workers of a run start,
 * instead of drawing them by the seed.
 *
 * The settings of a run have the checksum of the file (train.init_crc): runs are equal if they
 * start from the same file, wherever it is.
 */
#ifndef TRAIN_INITIAL_WEIGHTS_H
#define TRAIN_INITIAL_WEIGHTS_H

#include "train/build.h"

/* Fills in train.init_crc where the settings do not have it yet. */
enum status initial_weights_identify(struct run_config *config);

/* Reads the file into b->initial; nothing without train.init. */
enum status initial_weights_load(struct build *b);

/* Whether the file is there and fits the network, for a check before training. */
enum status initial_weights_check(const struct build *b);

/* The first state of a worker, and its counts of batches. */
void initial_weights_copy(const struct build *b, float *state, int64_t *batches_tracked);

#endif
