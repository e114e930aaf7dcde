/*
 * resume.h - finding out where a stopped run stands, and whether it may go on from there.
 */
#ifndef TRAIN_RESUME_H
#define TRAIN_RESUME_H

#include "train/checkpoint.h"

/* What may differ when a run goes on: how long, how fast, how talkative; never what is computed. */
enum status resume_check_changes(const struct node *over);

/* Whether a value at this path ("train.epochs") is one of those. */
bool resume_may_change(const char *path);

/* Whether a run that is made longer ends otherwise than one that was meant to be so long from the
 * beginning: by a schedule that knows the end, or an algorithm that does something there. */
bool resume_spans_run(const struct experiment *e);

/*
 * Refuses a run that has lost its checkpoint: it wrote its model, or rows from behind the place of
 * a checkpoint, and has none. One that was killed before its first loses nothing by starting anew.
 */
enum status resume_check_loss(const struct build *b, const char *run_dir, const char *experiment);

/*
 * Finds the last checkpoint of the run folder (*path, mem_free) and where it stands. Without a
 * checkpoint *path is NULL and the run starts from the beginning, with a warning. A checkpoint of
 * another experiment is refused; another instruction set than the run began with is told, because
 * the bits then differ.
 */
enum status resume_find(const struct build *b, const char *run_dir, struct loop_place *place,
                        char **path);

#endif
