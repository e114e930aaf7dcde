/*
 * tune.h - the section `tune` of a case: which of some settings the runs of the case have, chosen
 * by validation before they start.
 *
 *     runs:
 *       dsgd: {algorithm: dsgd, tune: {optimizer.lr: [0.01, 0.05], folds: 3}}
 *
 * A list has the values to choose from; one value alone is a setting of the tuning runs only. Runs
 * validate with folds (`folds`, `fold_by`), or with a part of the samples (`validation`). All
 * tuning runs of a study are a study of their own, whose entries are the cases, in the folder
 * `tune` of its folder. They have the first seed of the case.
 */
#ifndef STUDY_TUNE_H
#define STUDY_TUNE_H

#include "study/runner.h"
#include "study/study.h"

#define TUNE_FOLDER "tune"

/*
 * Checks the sections of the runs and makes s->tuning; NULL: there are none. Until the values are
 * chosen, runs have the first ones.
 */
enum status tune_prepare(struct study *s);

/* Leaves out the tuning runs of cases that are left out. */
void tune_select(struct study *s);

/*
 * Runs what is left to tune in the folder of the study, and gives its runs the chosen settings. A
 * case without a setting that is better than a constant guess is reported and left out; *failed
 * counts them. Under a launcher all processes call it.
 */
enum status tune_run(struct study *s, const struct runner_request *q, const char *folder,
                     int64_t *failed);

/* How many runs that takes, with those that have finished before. */
int64_t tune_count(const struct study *s);

/* A case is no longer about these settings: nothing of them is tuned. `section` is "algorithm". */
void tune_drop_section(struct node *root, const char *section);

#endif
