/*
 * dry_run.h - checks runs without training them: finds all errors of run_config_read and build_new
 * before anything is computed.
 *
 * The steps are those of a run (build_steps.h). Of many runs, steps with the same result are taken
 * once: a data set is opened once, its inputs are not read at all, and a graph, a partition and a
 * network are made once for all runs that have them in common.
 */
#ifndef TRAIN_DRY_RUN_H
#define TRAIN_DRY_RUN_H

#include "conf/node.h"

struct dry_run;

struct dry_run *dry_run_new(void);
void dry_run_free(struct dry_run *r); /* NULL is fine */

/* Whether a data set that is not there is a mistake; else what depends on it is left open. */
enum dry_run_data { DRY_RUN_NEEDS_DATA, DRY_RUN_MAY_LACK_DATA };

/* One run config, without a world. Error messages have their position in the file. */
enum status dry_run_check(struct dry_run *r, const struct node *root, enum dry_run_data data);

/* The same, and what its effective.yaml would hold: also what data and model decide. node_free. */
enum status dry_run_effective(struct dry_run *r, const struct node *root, struct node **effective);

#endif
