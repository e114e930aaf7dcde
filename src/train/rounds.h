/*
 * rounds.h - how many rounds an actor makes in an epoch and in a run.
 */
#ifndef TRAIN_ROUNDS_H
#define TRAIN_ROUNDS_H

#include "train/loop.h"

int64_t rounds_per_epoch(const struct build *b, int rank);

/* a / b, rounded up. */
int64_t rounds_up(int64_t a, int64_t b);

#endif
