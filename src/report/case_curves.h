/*
 * case_curves.h - curves of the cases of a report: the mean over seeds of a metric, with its 95 %
 * interval, on points that all cases share.
 */
#ifndef REPORT_CASE_CURVES_H
#define REPORT_CASE_CURVES_H

#include "record/metric_table.h"
#include "report/subject.h"

enum curve_axis {
    CURVE_ROUND,
    CURVE_EPOCH,
    CURVE_SAMPLES,
    CURVE_GRADIENTS,
    CURVE_BYTES,
    CURVE_SECONDS,
    CURVE_AXES
};
extern const char *const curve_axis_names[CURVE_AXES]; /* "round", "epoch", ... */

double curve_axis_value(const struct metric_table *t, enum curve_axis axis, int64_t row);

/* The worker whose rows are those of the run: all of them together, or 0 of a run with one. */
int64_t curve_worker_of_run(const struct metric_table *t);

/* Of one case; NaN where no seed has a row, or one of them has not begun or has ended: the mean of
 * the others would jump. low and high are NaN with fewer than two seeds. */
struct case_curve {
    double *mean, *low, *high; /* [point_count] */
    int64_t seeds;             /* 0: none has this metric */
};

struct case_curves {
    double *x; /* [point_count] */
    int64_t point_count;
    struct case_curve *cases; /* [case_count], as in the subject */
    int64_t case_count;
};

enum { CASE_CURVE_POINTS_MAX = 500 };

/*
 * tables[results.run_count] are those of the runs. With at most CASE_CURVE_POINTS_MAX different
 * points these are all, and values are exact there. With more, the points are at equal distances;
 * a run then has at each point the value of its rows near it that is farthest from the line
 * between their neighbours, so that peaks remain. Between two rows a run has the value of that
 * line.
 */
void case_curves_init(struct case_curves *c, const struct subject *s,
                      const struct metric_table *tables, const char *metric, enum curve_axis axis);
void case_curves_release(struct case_curves *c);

#endif
