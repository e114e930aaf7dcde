/*
 * list.h - the figures of a run, in the order of the page. Adding one: its file, and its line here.
 */
#ifndef REPORT_FIGURES_LIST_H
#define REPORT_FIGURES_LIST_H

#include "report/figure.h"

#define FIGURE_LIST(X)   \
    X(time_split_figure) \
    X(trace_figure)      \
    X(staleness_figure)  \
    X(maps_figure)       \
    X(certainty_figure)  \
    X(graph_figure)      \
    X(consensus_figure)  \
    X(partition_figure)  \
    X(confusion_figure)  \
    X(classes_figure)

#define FIGURE_DECLARE(symbol) extern const struct run_figure symbol;
FIGURE_LIST(FIGURE_DECLARE)

#endif
