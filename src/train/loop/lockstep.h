/*
 * lockstep.h - workers that all do the same rounds: what they exchange where something is due.
 *
 * Peers use it too, when all of them have finished.
 */
#ifndef TRAIN_LOOP_LOCKSTEP_H
#define TRAIN_LOOP_LOCKSTEP_H

#include "train/loop/board.h"
#include "train/loop/loop.h"
#include "train/loop/round_rows.h"

/* What the workers of one process share. */
struct lockstep_process {
    struct board *board;
    struct round_queue *rows; /* of rounds that not all have done */
};

/* What a worker keeps between two exchanges. Times at the end are by the clock on the wall. */
struct lockstep {
    struct lockstep_process *process; /* NULL: each worker has a process of its own */
    struct round_queue *rows;         /* the process's; or the leader's own, if there are several */
    struct clock_reading arrival;     /* of this worker at the last exchange */
    double latest;                    /* seconds of training of the last worker that arrived */
    double share;                     /* lockstep_share */

    /* Between processes, and with a budget of bytes: the round of the next exchange, if none is due
     * before; and the last one. Of the leader: bytes of the run by then, and most in a round. */
    int64_t next_sync, synced_round;
    double synced_at, synced_bytes, round_bytes;

    /* Between processes: the last round with an exchange; and of each round with rows since then,
     * what this worker sends with the next one. */
    int64_t exchanged_round;
    struct kept_round *kept; /* [kept_count] */
    int64_t kept_count, kept_capacity;

    /* In a process: where this worker began, and the round before which it need not look how far
     * the slowest is. */
    int64_t began_round, limit_round;
    double began_at;
};

/* All workers: each one's counters to the leader, and the leader's decision to all. */
enum status lockstep_exchange(struct loop *l);

/* lockstep_messages.c, between processes: the counters of all workers, with those of rounds that
 * were kept, to the leader, who also gets how many processes were asked to stop; and keeps those of
 * this round. */
enum status lockstep_messages_collect(struct loop *l, double *stops);
void lockstep_messages_keep(struct loop *l);

/* next_sync.c: after the rounds of one second at the speed so far, and before a budget is used up.
 * The leader, at an exchange. */
int64_t next_sync_plan(struct loop *l, const struct counters *totals);

/* What is due after a round. All workers; after an exchange if models are needed for it. */
enum status lockstep_record(struct loop *l, const struct due_actions *due);

enum status lockstep_run_model(struct loop *l, struct model_values *values);
enum status lockstep_collect(struct loop *l, struct checkpoint *c, struct worker_state *states);

/* The worker's share in the samples of all, as of the last exchange; -1: all have as many. */
double lockstep_share(const struct loop *l);

void *lockstep_process_new(const struct build *b, int processes);
void lockstep_process_free(void *process, int workers);

#endif
