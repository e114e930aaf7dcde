/*
 * respond.h - the responder beside a worker: a thread that answers other nodes, and the leader,
 * while its worker computes, waits or has ended.
 */
#ifndef TRAIN_RESPOND_H
#define TRAIN_RESPOND_H

#include "algo/desk.h"
#include "train/build.h"
#include "train/tally.h"

/* Where a worker and its responder meet. The desk's lock is over all of it. */
struct lodge {
    struct desk desk;   /* the algorithm's */
    struct tally tally; /* the worker's, as of its last round */
    int64_t bytes;      /* that the responder has sent for the algorithm */
    bool stops;         /* somebody was asked to stop the run */
};

/* One for each worker, of which a process uses its own; NULL if the algorithm has no responders. */
struct lodge *lodges_new(const struct algo_ops *algo, int workers);
void lodges_free(struct lodge *lodges, int workers); /* NULL is fine */

/* What the loop says to a responder: one byte, of the kind ALGO_ASK. */
enum respond_word {
    RESPOND_OPEN = 'o',  /* its worker: the desk is open. The first of all messages */
    RESPOND_TALLY = 't', /* the leader: send me your worker's tally */
    RESPOND_MODEL = 'm', /* the leader: send me the node's model */
    RESPOND_STOP = 's',  /* any worker: the run is to stop */
    RESPOND_CLOSE = 'c', /* its worker: nobody asks any more */
};

/* Answers to the leader. */
enum { RESPOND_LOOK = TRANSPORT_CONTROL + 3 };

/* Whether this endpoint is a responder. */
bool respond_is_mine(const struct build *b, const struct transport *t);

/* Until RESPOND_CLOSE, or a failure anywhere. */
enum status respond(const struct build *b, struct transport *t, struct lodge *own);

#endif
