/*
 * random_cases.h - some cases of a study, chosen at random.
 */
#ifndef STUDY_RANDOM_CASES_H
#define STUDY_RANDOM_CASES_H

#include "study/study.h"

/* Leaves out all runs but those of `count` cases. A function of the study's cases and the seed of
 * its first run: a resumed study chooses the same, and a larger count adds to a smaller one. */
void random_cases_select(struct study *s, int64_t count);

/* Says if there are fewer cases than were asked for. */
void random_cases_report(const struct study *s, int64_t count);

#endif
