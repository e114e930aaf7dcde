/*
 * landscape_between.h - the loss on the straight lines between models: the final models of
 * several runs, or those of the workers of one run.
 */
#ifndef STUDY_LANDSCAPE_BETWEEN_H
#define STUDY_LANDSCAPE_BETWEEN_H

#include "record/barriers.h"
#include "study/landscape.h"

/* Measures, and writes the files in q->folder; q->grid is the number of points on a line. Runs
 * need no snapshots. One run: the models of its workers, which its last checkpoint has. */
enum status landscape_between(const struct landscape_request *q, struct barriers *b);

#endif
