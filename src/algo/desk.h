/*
 * desk.h - what a worker shares with the responder beside it: the node's model, which others move
 * while the worker computes at a copy.
 *
 * Both are threads of one process. A node averages with one other at a time: while its worker has
 * asked somebody and waits, the model stands still, and who asks meanwhile is held or refused.
 */
#ifndef ALGO_DESK_H
#define ALGO_DESK_H

#include <pthread.h>
#include <stdint.h>

enum { DESK_NOBODY = -1 };

struct desk {
    pthread_mutex_t mutex; /* over all below */
    float *x;              /* [count]: the model; NULL before desk_open */
    int64_t count;
    int asked;     /* whom the worker waits for */
    int held;      /* who is to be answered when that is over */
    float *held_x; /* [count]: what that one sent */
};

void desk_init(struct desk *d);
void desk_release(struct desk *d);

/* By the worker, before its responder looks: a copy of its state. */
void desk_open(struct desk *d, const float *state, int64_t count);

void desk_lock(struct desk *d);
void desk_unlock(struct desk *d);

/* out[count] <- the model as it is now. */
void desk_read(struct desk *d, float *out);

#endif
