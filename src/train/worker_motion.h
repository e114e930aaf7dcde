/*
 * worker_motion.h - robots that drive while they train: the graph of those in radio range.
 *
 * Where a worker is, is a function of how many batches it has drawn (problem_position), and so of
 * the round. A graph of type disk without positions of its own links the workers by these.
 */
#ifndef TRAIN_WORKER_MOTION_H
#define TRAIN_WORKER_MOTION_H

#include "graph/graph.h"
#include "train/build.h"

/*
 * How the workers move in the rounds of the run; without sets if they have no places, or the graph
 * does not ask for them. The plan and the algorithm of the build are known.
 */
void worker_motion_init(struct graph_motion *m, const struct build *b);

#endif
