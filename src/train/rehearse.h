/*
 * rehearse.h - runs that are looked at and not made: all that build_new would refuse, and
 * experiment_read before it, found before anything is computed.
 *
 * The steps are those of a run (plan.h). Of many runs those that come to the same are taken once: a
 * data set is opened once, its inputs are not read at all, and a graph, a partition and a network
 * are made once for all runs that have them in common.
 */
#ifndef TRAIN_REHEARSE_H
#define TRAIN_REHEARSE_H

#include "conf/node.h"

struct rehearsal;

struct rehearsal *rehearsal_new(void);
void rehearsal_free(struct rehearsal *r); /* NULL is fine */

/* Whether a data set that is not there is a mistake; else what depends on it is left open. */
enum rehearse_data { REHEARSE_NEEDS_DATA, REHEARSE_MAY_LACK_DATA };

/* One experiment, without a world. Messages have their place in the file. */
enum status rehearse(struct rehearsal *r, const struct node *root, enum rehearse_data data);

/* The same, and what its effective.yaml would hold: also what data and model decide. node_free. */
enum status rehearse_effective(struct rehearsal *r, const struct node *root,
                               struct node **effective);

#endif
