/*
 * study_figures.h - figures about all cases of a report: curves of metrics, and scaling.
 */
#ifndef REPORT_STUDY_FIGURES_H
#define REPORT_STUDY_FIGURES_H

#include "record/metric_table.h"
#include "report/case_curves.h"
#include "report/figure.h"
#include "report/subject.h"

/* Speed-up, efficiency and accuracy against workers; false: the number of workers does not vary. */
bool study_scaling_figure(const struct subject *s, struct figure *f);

/*
 * A metric against an axis, a line per case: the mean over seeds with its 95 % interval; false: no
 * run has it. tables[results.run_count] are those of the runs.
 */
bool study_curve_figure(const struct subject *s, const struct metric_table *tables,
                        const char *metric, enum curve_axis axis, struct figure *f);

#endif
