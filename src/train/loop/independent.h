/*
 * independent.h - workers that wait for no other until all have finished: how they start and finish
 * together. For the coordinators `shared` and `peers`.
 */
#ifndef TRAIN_LOOP_INDEPENDENT_H
#define TRAIN_LOOP_INDEPENDENT_H

#include "train/loop/evaluation.h"

/* Before the first round: whether there is nothing left to train. All workers, which thus wait for
 * each other. */
enum status independent_begin(struct loop *l);

/* After the last round of this worker: whether all have done theirs. A worker that was stopped
 * early stops the run, also for those that had finished. All workers. */
enum status independent_end(struct loop *l);

/*
 * What is due after a round of this worker: the leader records, by `snapshot` where a model is
 * needed; others continue. After the last round a logged row only: the end of the run records.
 */
enum status independent_record(struct loop *l, const struct due_actions *due,
                               enum status (*snapshot)(struct loop *l,
                                                       const struct due_actions *due));

#endif
