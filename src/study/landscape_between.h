/*
 * landscape_between.h - the loss on the straight lines between the final models of runs.
 */
#ifndef STUDY_LANDSCAPE_BETWEEN_H
#define STUDY_LANDSCAPE_BETWEEN_H

#include "record/barriers.h"
#include "study/landscape.h"

/* Measures, and writes the files in q->folder; q->grid is the number of points on a line. The runs
 * need no snapshots. */
enum status landscape_between(const struct landscape_request *q, struct barriers *b);

#endif
