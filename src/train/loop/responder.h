/*
 * responder.h - the responder of a worker: a thread that answers other nodes, and the leader, while
 * its worker computes, waits or has ended.
 */
#ifndef TRAIN_LOOP_RESPONDER_H
#define TRAIN_LOOP_RESPONDER_H

#include "algo/parts/shared_model.h"
#include "record/counters.h"
#include "train/checkpoint.h"
#include "train/worker_memory.h"

/* What a worker and its responder share. The shared model's lock guards all of it; of the worker's
 * memory it guards the optimiser and the numbers. */
struct responder_state {
    struct shared_model shared_model; /* the algorithm's */
    struct worker_memory *memory;     /* of the worker; NULL: it has ended */
    struct counters counters;         /* the worker's, as of its last round, and with it: */
    int64_t *batches_tracked;         /* [model->tracked_count] */
    int64_t *sent_by_worker;          /* [workers]: bytes that the worker has sent to each node */
    int64_t *sent_by_responder;       /* [workers]: bytes that the responder has sent to each, */
    int64_t bytes;                    /* and in all */
    bool stop_requested;              /* a process was asked to stop the run */
    _Atomic int64_t claimed; /* of the leader's: rounds of all workers; not under the lock */
};

/* One for each worker, of which a process uses its own. */
struct responder_state *responder_states_new(int workers);
void responder_states_free(struct responder_state *responders, int workers); /* NULL is fine */

/* What the loop sends to a responder: one byte, of the kind CONTROL_COMMAND. */
enum responder_command {
    RESPONDER_OPEN = 'o', /* its worker: the shared model is open. The first of all messages */
    RESPONDER_SEND_COUNTERS = 't', /* the leader: send me your worker's counters */
    RESPONDER_SEND_MODEL = 'm',    /* the leader: send me the node's model */
    RESPONDER_SEND_STATE = 'p',    /* the leader: send me the worker's state, for a checkpoint */
    RESPONDER_CLAIM_ROUND = 'r',   /* any worker, to the leader's: the next round of all is mine */
    RESPONDER_STOP = 's',          /* any worker: the run is to stop */
    RESPONDER_CLOSE = 'c',         /* its worker: no more requests. Answered when all are done */
};

/* By a worker, before it says RESPONDER_OPEN: what it has at the start. */
void responder_state_open(struct responder_state *own, struct worker_memory *a,
                          const struct counters *counters);

/* The next of the rounds of all workers, counted from 0: no two get the same. */
int64_t responder_claim_round(struct responder_state *own);

/* By a worker, before its memory is freed. */
void responder_state_close(struct responder_state *own, struct transport *t);

/* By a worker, after a round, with the shared model's lock held: what it has by now. */
void responder_state_update(struct responder_state *own, const struct counters *counters);

/* The node as it is now, for the leader: its worker's counters, and its state for a checkpoint,
 * which is empty if the worker has ended (worker_state_release). */
struct counters responder_counters(struct responder_state *own, struct transport *t);
void responder_pack_state(struct responder_state *own, struct transport *t, struct worker_state *p);

/* Until RESPONDER_CLOSE, or a failure anywhere. */
enum status responder_run(const struct build *b, struct transport *t, struct responder_state *own);

#endif
