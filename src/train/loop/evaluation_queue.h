/*
 * evaluation_queue.h - snapshots of models that an asynchronous run takes while it trains, to be
 * evaluated on cores that no worker uses, or else after the run: evaluation never delays a worker.
 *
 * What does not fit into a gigabyte goes to files in the run directory.
 */
#ifndef TRAIN_LOOP_EVALUATION_QUEUE_H
#define TRAIN_LOOP_EVALUATION_QUEUE_H

#include "train/build.h"
#include "train/checkpoint.h"

/* Batches for measuring BatchNorm's statistics again, with `statistics: recalibrate`. */
enum { RECALIBRATION_BATCHES = 64 };

struct evaluation_queue;

/* Whose model it is, and of when. */
struct snapshot_label {
    struct run_totals totals;
    int node;                             /* SNAPSHOT_RUN: the run model */
    bool has_map;                         /* its map is recorded (maps.c) */
    struct counters counters;             /* of a node: its worker's */
    double distance, normalized_distance; /* of a node, from the mean of all */
};

enum { SNAPSHOT_RUN = -1 };

/* One that was evaluated. Parts that the problem does not have are NaN. */
struct snapshot_result {
    struct snapshot_label label;
    struct evaluation validation, test, map;
    bool has_validation, has_test;
    int64_t *confusion; /* of the run model, by the test or else the validation part; or NULL */
    uint8_t *map_bytes; /* label.has_map: the map as in maps.bin; else NULL */
};

/* PART_MAP with its outputs as bytes of maps.bin (maps.c). */
enum status maps_evaluate(struct problem *p, const float *state, struct evaluation *e,
                          uint8_t *bytes);

/* run_dir is borrowed, for what does not fit into memory. */
struct evaluation_queue *evaluation_queue_new(const struct build *b, const char *run_dir);
void evaluation_queue_free(struct evaluation_queue *q); /* NULL is fine */

/* How many are not evaluated yet. */
int64_t evaluation_queue_waiting(struct evaluation_queue *q);

/* Copies the state. */
enum status evaluation_queue_add(struct evaluation_queue *q, const struct snapshot_label *label,
                                 const float *state);

/* Writes what is not recorded to files, for a resumed run; and adds what is in them, of rounds up
 * to this one. A file is removed when the next result is asked for: then its own is recorded. */
enum status evaluation_queue_keep(struct evaluation_queue *q);
enum status evaluation_queue_restore(struct evaluation_queue *q, int64_t round);

/*
 * The next result in order, if there is one (*found). With `waits` everything that was added will
 * be found: what is not evaluated yet is evaluated now, or STATUS_INTERRUPTED when the run is asked
 * to stop. *state is that snapshot's, until the next call.
 */
enum status evaluation_queue_next(struct evaluation_queue *q, bool waits,
                                  struct snapshot_result *result, float **state, bool *found);

#endif
