/*
 * history.h - questions about how a finished run went, from its metrics.jsonl.
 */
#ifndef STUDY_HISTORY_H
#define STUDY_HISTORY_H

/*
 * The round of the first evaluation at which the accuracy, over a graph its mean over the nodes,
 * was at least `level`; NaN: it never was, or there is no such run.
 */
double history_rounds_to(const char *folder, double level);

#endif
