/*
 * halving.h - successive halving: all cases train a small part of their epochs, the best of them
 * continue with a multiple of it, and so on up to all epochs.
 *
 * Jamieson, Talwalkar: "Non-stochastic best arm identification and hyperparameter optimization",
 * 2016.
 */
#ifndef STUDY_HALVING_H
#define STUDY_HALVING_H

#include "study/runner.h"

enum { HALVING_FACTOR = 3, HALVING_FACTOR_MAX = 100 };

/* The stages for the cases that are not left out: each has 1/factor of the cases of the one before,
 * rounded up, and the last one all epochs. An error where there are too few cases or epochs, or no
 * common number of epochs. */
enum status halving_plan(struct study *s, int64_t factor);

/*
 * As runner_run, stage by stage. After a stage the cases with the best means continue, by what the
 * study compares. The runs of the others keep the epochs of their last stage. A later call resumes
 * in the stage that results.json says was begun. A case of which a run diverged does not continue;
 * a run that failed otherwise ends the search, and a later call runs it again.
 */
enum status halving_run(struct study *s, int64_t factor, const struct runner_request *q,
                        struct runner_outcome *outcome);

#endif
