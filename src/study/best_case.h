/*
 * best_case.h - which case of a search is the best, and its settings.
 */
#ifndef STUDY_BEST_CASE_H
#define STUDY_BEST_CASE_H

#include "study/comparison.h"

/* The place of the case whose mean validation loss is the lowest, in the rows and in the
 * results; -1: no case whose runs all finished is better than a constant guess. */
int64_t best_case_find(const struct results *r);

/* Whether a run with these settings sets samples aside to validate: a fold, or a part. */
bool best_case_is_validated(const struct node *root);

/* An error if a run of the study does not. */
enum status best_case_check_validation(const struct study *s);

/* The settings of a row for a run on all training samples, with the first of its seeds and the
 * number of workers that it had. node_free. */
struct node *best_case_settings(const struct comparison *t, int64_t row);

/* Why a case cannot be the best, however low its loss is: "1 of 3 runs failed"; NULL: it can.
 * mem_free. */
char *best_case_trouble(const struct results *r, const struct results_case *c);

/* "best: unknown; ...": why none is. mem_free. */
char *best_case_why_unknown(const struct results *r);

#endif
