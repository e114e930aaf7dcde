/*
 * shared_model.h - what a worker shares with the responder beside it: the node's model, which
 * others move while the worker computes at a copy.
 *
 * Both are threads of one process. A node averages with one other at a time: while its worker has
 * asked somebody and waits, the model stands still, and who asks meanwhile is held or refused.
 */
#ifndef ALGO_PARTS_SHARED_MODEL_H
#define ALGO_PARTS_SHARED_MODEL_H

#include <pthread.h>
#include <stdint.h>

#include "comm/transport.h"

enum { SHARED_MODEL_NOBODY = -1 };

struct shared_model {
    /* Over all below. While a question is open x does not change, and the worker may read it
     * without the lock. While a node is held and no question is open held_x is the worker's. */
    pthread_mutex_t mutex;
    float *x; /* [count]: the model; NULL before shared_model_open */
    int64_t count;
    int asked;     /* whom the worker waits for */
    int held;      /* who is to be answered when that is over */
    float *held_x; /* [count]: what that one sent, and then the answer */
};

void shared_model_init(struct shared_model *m);
void shared_model_release(struct shared_model *m);

/* By the worker, before its responder looks: a copy of its state. */
void shared_model_open(struct shared_model *m, const float *state, int64_t count);

/* By the endpoint with this transport, which makes no call of it in between. */
void shared_model_lock(struct shared_model *m, struct transport *t);
void shared_model_unlock(struct shared_model *m, struct transport *t);

/* out[count] <- the model as it is now. */
void shared_model_read(struct shared_model *m, struct transport *t, float *out);

#endif
