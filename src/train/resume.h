/*
 * resume.h - finds the checkpoint of a stopped run, and checks whether it can be resumed.
 */
#ifndef TRAIN_RESUME_H
#define TRAIN_RESUME_H

#include "train/checkpoint.h"

/* What may differ in a resumed run: how long, how fast, how much is logged; never what is
 * computed. */
enum status resume_check_changes(const struct node *over);

/* Whether a value at this path ("train.epochs") is one of those. */
bool resume_may_change(const char *path);

/* Whether a setting says only where a file is; another setting identifies its content. */
bool resume_is_place(const char *path);

/* The settings of an older run without train.ends get what it did: a server ended after the total.
 */
void resume_fill_in_ends(struct node *root);

/* Whether a run that is made longer ends otherwise than one that was meant to be so long from the
 * beginning: by a schedule that knows the end, or an algorithm that does something there. */
bool resume_spans_run(const struct run_config *config);

/*
 * Fails for a run that has lost its checkpoint: it wrote its model, or rows after the round of a
 * checkpoint, and has none. One that was killed before its first loses nothing by starting from
 * scratch.
 */
enum status resume_check_loss(const struct build *b, const char *run_dir, const char *top_dir);

/*
 * Finds the newest checkpoint of the run folder that is not damaged (*path, mem_free) and its
 * totals; a damaged one is a warning, and an error if there is none before it. Without a
 * checkpoint *path is NULL and the run starts from the beginning, with a warning. A checkpoint of
 * another run config is an error; another instruction set than the run began with is a warning,
 * because the bits then differ.
 */
enum status resume_find(const struct build *b, const char *run_dir, struct run_totals *totals,
                        char **path);

#endif
