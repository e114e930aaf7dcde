/*
 * snapshots.h - models that an asynchronous run puts aside while it goes on, to be evaluated on
 * cores that no worker uses, or else after the run: evaluation never holds a worker up.
 *
 * What does not fit into a gigabyte goes to files in the run directory.
 */
#ifndef TRAIN_SNAPSHOTS_H
#define TRAIN_SNAPSHOTS_H

#include "train/build.h"
#include "train/checkpoint.h"

/* What BatchNorm's statistics are measured anew on, with `statistics: recalibrate`. */
enum { RECALIBRATION_BATCHES = 64 };

struct snapshots;

/* Whose model it is, and of when. */
struct snapshot_label {
    struct loop_place place;
    int node;                             /* SNAPSHOT_RUN: the one that the run stands for */
    struct tally tally;                   /* of a node: what its worker had done */
    double distance, normalized_distance; /* of a node, from the mean of all */
};

enum { SNAPSHOT_RUN = -1 };

/* One that was evaluated. Parts that the problem does not have are NaN. */
struct snapshot_result {
    struct snapshot_label label;
    struct evaluation validation, test;
    bool has_validation, has_test;
};

/* run_dir is borrowed, for what does not fit into memory. */
struct snapshots *snapshots_new(const struct build *b, const char *run_dir);
void snapshots_free(struct snapshots *s); /* NULL is fine */

/* Copies the state. */
enum status snapshots_add(struct snapshots *s, const struct snapshot_label *label,
                          const float *state);

/*
 * The next result in order, if there is one (*found). With `waits` everything that was added will
 * be found: what is not evaluated yet is evaluated now. *state is that snapshot's, until the next
 * call.
 */
enum status snapshots_next(struct snapshots *s, bool waits, struct snapshot_result *result,
                           float **state, bool *found);

#endif
