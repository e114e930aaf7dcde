/*
 * run_numbers.h - the numbers by which runs are compared (results.h), of one run.
 */
#ifndef RECORD_RUN_NUMBERS_H
#define RECORD_RUN_NUMBERS_H

#include "record/metric_table.h"
#include "record/result.h"
#include "record/results.h"

/* From its result.json; NaN: it does not say. Milestones are not in it. */
void run_numbers_of_result(const struct run_result *r, double numbers[RESULT_NUMBERS]);

/* From its rows, for a run that has not ended: the last value of each. */
void run_numbers_of_rows(const struct metric_table *t, double numbers[RESULT_NUMBERS]);

/*
 * As they were at an evaluation on the validation part, counted from 1. Answers its round; 0: there
 * was no such evaluation, and the numbers are as before.
 */
int64_t run_numbers_as_of(const struct metric_table *t, int64_t evaluation,
                          double numbers[RESULT_NUMBERS]);

/* What metrics.jsonl of the folder says of the milestones. */
void run_numbers_find(const char *run_dir, const struct milestones *m,
                      double numbers[RESULT_NUMBERS]);

#endif
