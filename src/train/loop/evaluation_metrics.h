/*
 * evaluation_metrics.h - the values of a problem's metrics, from an evaluation to a row, to the
 * report and to the line of an evaluation.
 *
 * Metrics that are not in the loop's list (record/metric.h) are the problem's own.
 */
#ifndef TRAIN_LOOP_EVALUATION_METRICS_H
#define TRAIN_LOOP_EVALUATION_METRICS_H

#include "base/text.h"
#include "problem/problem.h"
#include "record/metric_table.h"
#include "record/recorder.h"
#include "train/loop/endpoint.h"

/* Every metric that is recorded for this part. */
void evaluation_metrics_to_row(const struct problem *p, enum problem_part part,
                               const struct evaluation *e, struct metric_row *row);

/* The problem's own metrics into the report. */
void evaluation_metrics_report(const struct problem *p, enum problem_part part,
                               const struct evaluation *e, struct run_report *report);

/* The same from the last rows of an earlier process. worker: whose rows are the run's. */
void evaluation_metrics_restore(const struct problem *p, const struct metric_table *t, int worker,
                                struct run_report *report);

/* " distance to optimum 0.01," for each of the problem's own metrics. */
void evaluation_metrics_to_line(const struct run_report *report, struct text *line);

#endif
