/*
 * round_rows.h - the counters of all workers after one round, for the rows of that round.
 *
 * Workers of one process hand in their counters when they have done the round, and continue. The
 * leader writes the rows when all have: recording makes no worker wait for another.
 */
#ifndef TRAIN_LOOP_ROUND_ROWS_H
#define TRAIN_LOOP_ROUND_ROWS_H

#include "record/counters.h"
#include "train/loop/due.h"

/* What the rows of a round say of the leader itself. */
struct round_facts {
    int64_t round;
    struct due_actions due;
    double lr, gradient_norm, weight_square;
    double log_weight_square; /* log_rows_weight_square */
};

struct round_rows {
    struct round_facts facts;
    int arrived;                          /* workers whose counters are here */
    struct round_rows *next, *next_found; /* private to round_rows.c */
    struct counters workers[];            /* [workers] */
};

/* Rounds that not all workers have done, in order. */
struct round_queue;
struct round_queue *round_queue_new(int workers);
void round_queue_free(struct round_queue *q); /* NULL is fine */

/* A worker's counters after a round. Of the facts only worker 0's count, which is the leader. */
void round_queue_hand_in(struct round_queue *q, int worker, const struct round_facts *facts,
                         const struct counters *c);

/* The first round that all workers have done, or NULL; mem_free. */
struct round_rows *round_queue_take(struct round_queue *q);

#endif
