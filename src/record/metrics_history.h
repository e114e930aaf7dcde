/*
 * metrics_history.h - facts about the course of a finished run, from its metrics.jsonl.
 */
#ifndef RECORD_METRICS_HISTORY_H
#define RECORD_METRICS_HISTORY_H

/*
 * The round of the first evaluation at which the accuracy, over a graph its mean over the nodes,
 * was at least `level`; NaN: it never was, or there is no such run.
 */
double metrics_history_rounds_to(const char *folder, double level);

#endif
