/*
 * outer_step.h - the step of a second optimiser, from a model that all workers share towards the
 * mean of what they have made of it: DiLoCo, SlowMo.
 */
#ifndef ALGO_PARTS_OUTER_STEP_H
#define ALGO_PARTS_OUTER_STEP_H

#include "algo/algo.h"

/* What it needs of an optimiser: `update`. `key` is the option that has chosen it. */
enum status outer_step_check(const struct choice *outer, const char *key);

/*
 * shared <- one step of worker.outer from `shared`, with shared - mean as the gradient; the
 * worker's parameters, which are the mean, become the same. Takes a vector of scratch. The rates
 * are those of the choice, by the schedule.
 */
void outer_step(struct worker *w, float *shared, const struct choice *schedule);

#endif
