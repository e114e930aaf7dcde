/*
 * respond.h - the responder beside a worker: a thread that answers other nodes, and the leader,
 * while its worker computes, waits or has ended.
 */
#ifndef TRAIN_RESPOND_H
#define TRAIN_RESPOND_H

#include "algo/desk.h"
#include "train/actor.h"
#include "train/tally.h"

/* Where a worker and its responder meet. The desk's lock is over all of it. */
struct lodge {
    struct desk desk;    /* the algorithm's */
    struct actor *actor; /* of the worker. Of it the lock is over the optimiser and the numbers */
    struct tally tally;  /* the worker's, as of its last round, and with it: */
    int64_t *counters;   /* [model->counter_count] */
    int64_t *asked;      /* [workers]: bytes that the worker has sent to each node */
    int64_t *answered;   /* [workers]: bytes that the responder has sent to each, */
    int64_t bytes;       /* and in all */
    bool stops;          /* somebody was asked to stop the run */
};

/* One for each worker, of which a process uses its own; NULL if the algorithm has no responders. */
struct lodge *lodges_new(const struct algo_ops *algo, int workers);
void lodges_free(struct lodge *lodges, int workers); /* NULL is fine */

/* What the loop says to a responder: one byte, of the kind ALGO_ASK. */
enum respond_word {
    RESPOND_OPEN = 'o',   /* its worker: the desk is open. The first of all messages */
    RESPOND_TALLY = 't',  /* the leader: send me your worker's tally */
    RESPOND_MODEL = 'm',  /* the leader: send me the node's model */
    RESPOND_PARCEL = 'p', /* the leader: send me all that the node has, for a checkpoint */
    RESPOND_STOP = 's',   /* any worker: the run is to stop */
    RESPOND_CLOSE = 'c',  /* its worker: nobody asks any more. Answered, when all is done */
};

/* Answers to the leader, and the last one to the worker. */
enum { RESPOND_LOOK = TRANSPORT_CONTROL + 3 };

/* By a worker, before it says RESPOND_OPEN: what it has at the start. */
void lodge_open(struct lodge *own, struct actor *a, const struct tally *mine);

/* By a worker, after a round, with the desk's lock held: what it has by now. */
void lodge_note(struct lodge *own, const struct tally *mine);

/* Whether this endpoint is a responder. */
bool respond_is_mine(const struct build *b, const struct transport *t);

/* Until RESPOND_CLOSE, or a failure anywhere. */
enum status respond(const struct build *b, struct transport *t, struct lodge *own);

#endif
