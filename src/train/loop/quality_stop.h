/*
 * quality_stop.h - a run that ends because it is good enough, or gets no better (train.stop).
 *
 * The leader decides after an evaluation (loop.is_good_enough). Workers in lockstep agree on it
 * with the evaluation, a server ends its loop, and independent workers are told to stop as by a
 * budget. An asynchronous run waits for its evaluations if it has such a rule.
 */
#ifndef TRAIN_LOOP_QUALITY_STOP_H
#define TRAIN_LOOP_QUALITY_STOP_H

#include "train/loop/loop.h"

/* The run model was evaluated after this round; the report has it. The leader. */
void quality_stop_note(struct loop *l, int64_t round);

/* Ends the run where that was decided. After the round was recorded, which was or was not saved. */
enum status quality_stop_apply(struct loop *l, const struct due_actions *due);

/* What the rule knows of the evaluations before a run is resumed. */
enum status quality_stop_resume(struct loop *l);

#endif
