/*
 * learned_nothing.h - a finite loss alone does not say that something was learned.
 */
#ifndef TRAIN_LEARNED_NOTHING_H
#define TRAIN_LEARNED_NOTHING_H

#include "train/run.h"

/* Warns if the final model is no better than always giving the same answer. */
void learned_nothing_warn(const struct run_outcome *o);

#endif
