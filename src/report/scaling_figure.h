/*
 * scaling_figure.h - what more workers bring: speed-up, efficiency and test accuracy against the
 * number of workers, a line per algorithm.
 */
#ifndef REPORT_SCALING_FIGURE_H
#define REPORT_SCALING_FIGURE_H

#include "report/figure.h"

/* NaN: not known. Accuracies are fractions. */
struct scaling_point {
    const char *algorithm; /* a line each; colours are given in the order in which they appear */
    int64_t workers;
    double speedup, efficiency;
    double accuracy, accuracy_low, accuracy_high; /* with its 95 % interval */
    double worker_low,
        worker_high; /* the lowest and the highest accuracy of a worker's own model */
};

/* Fills all of f. False: there are not two numbers of workers with a speed-up or an accuracy. */
bool scaling_figure(const struct scaling_point *points, int64_t count, struct figure *f);

#endif
