/*
 * epoch_cases.h - runs of a search that differ in train.epochs only: the longest one is trained,
 * and the others are read from its evaluations, as of their last epoch.
 *
 * This needs that a shorter run does the same until its end. So a run is trained itself where what
 * is computed depends on the length of the run, as with a cosine schedule.
 */
#ifndef STUDY_EPOCH_CASES_H
#define STUDY_EPOCH_CASES_H

#include "study/compared_run.h"
#include "study/study.h"

/* An error if epochs vary, and one of their numbers is 0, which stands for another one. */
enum status epoch_cases_check(const struct study *s);

/*
 * Finds the runs that need not be trained, and sets their `whole` and `evaluation`. The longest
 * ones are evaluated more often if necessary. Logs what it found, and why runs cannot be shared. A
 * run that is left out is never trained for the others.
 */
void epoch_cases_share(struct study *s);

/*
 * The result of a run that has a `whole`, from the folder of that one. It has finished if the whole
 * run was evaluated at its end, whatever happened to it afterwards; a whole run that ended sooner
 * is the run itself.
 */
enum status epoch_cases_read(const struct study_run *run, const char *folder,
                             const struct milestones *m, struct compared_run *c);

#endif
