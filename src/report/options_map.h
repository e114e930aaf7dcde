/*
 * options_map.h - the figure of a study over two options: a cell per pair of their values, coloured
 * by what the study compares.
 */
#ifndef REPORT_OPTIONS_MAP_H
#define REPORT_OPTIONS_MAP_H

#include "report/figure.h"
#include "report/subject.h"

/*
 * Of the options that vary, the two with the most values; all others are as in the best case.
 * false: fewer than two vary, no case is the best, there are too many values, or few of the pairs
 * have run.
 */
bool options_map_figure(const struct subject *s, struct figure *f);

#endif
