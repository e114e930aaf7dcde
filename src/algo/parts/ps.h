/*
 * ps.h - what the parameter servers have in common: the two messages, a worker's round, and an
 * update from the gradients of all workers.
 *
 * A model goes from the server to a worker, a push from a worker to the server. Both are a head of
 * PS_HEAD_BYTES and state_count floats, in the byte order of the machine. A model is one message,
 * copied between two updates, so no reader ever sees half of one. The floats go straight from where
 * they are to where they are needed; every endpoint has one head, for all of its messages.
 */
#ifndef ALGO_PARTS_PS_H
#define ALGO_PARTS_PS_H

#include "algo/algo.h"

enum ps_kind { PS_MODEL, PS_PUSH };

enum { PS_HEAD_BYTES = 128 };

struct ps_model {
    int64_t version; /* updates that are in it */
    int64_t is_stop; /* 1: there is no model and there are no floats; the worker is to stop */
};

struct ps_push {
    int64_t version; /* of the model that the gradient was computed at */
    struct batch_result batch;
    int64_t gradients;      /* evaluations that it took; 0 for an empty batch */
    int32_t has_statistics; /* 1: the batch has statistics of its own */
    int32_t asks_stop;      /* 1: the worker's process was asked to stop the run */
    double delayed;         /* the worker's `delayed` and counters so far */
    struct transport_counters counters;
};

/* Before parameters and buffers; or before the gradient, and then the batch's own statistics in the
 * place of the buffers. */
union ps_head {
    struct ps_model model;
    struct ps_push push;
    char bytes[PS_HEAD_BYTES];
};

/* Of an endpoint, between begin and end. */
struct ps_memory {
    union ps_head head;
    float *buffers;    /* [state_count - param_count]: of the last model, or of the last push */
    float *statistics; /* [state_count - param_count], on a server: their sum over the workers */
    float *addend;     /* [param_count], on a server that gathers: the gradient of the last push */
    int *ranks;        /* [workers], on a server: who gets a model next */
};

/* The server's numbers: updates so far, and pushes that were computed but not applied, because the
 * run ended. Those of ps-async follow. */
enum { PS_VERSION, PS_DISCARDED, PS_NUMBERS };

enum status ps_begin(struct worker *w);
void ps_end(struct worker *w);

/* What a worker's summed gradient is divided by: its own batch, or those of all workers. */
enum ps_batch { PS_BATCH_OWN, PS_BATCH_ALL };

/* Receives a model, computes a gradient and pushes it; or is told to stop. */
enum status ps_round(struct worker *w, enum ps_batch divisor);

/* --- the server's --- */

/* What the last received push said, its floats excepted. */
static inline const struct ps_push *ps_push_of(const struct worker *w)
{
    return &((const struct ps_memory *)w->memory)->head.push;
}

/* Room for the ranks of all workers. */
int *ps_ranks(const struct worker *w);

/* The model as it is now, to some workers: one message for all. */
enum status ps_send_model(struct worker *w, const struct peers *to);
enum status ps_send_stop(struct worker *w, int to);

/* The next push, its gradient into this vector; from: a worker or TRANSPORT_ANY. Answers who wrote
 * it. */
enum status ps_receive_push(struct worker *w, int from, float *gradient, int *sender);

/* Notes the last push as applied, or as empty. */
void ps_note_client(struct worker *w, int sender, int64_t staleness);

/* The running statistics go on by those of the last push, if it has any. */
void ps_move_statistics(struct worker *w);

/* One update with the sum of one gradient from each worker: all of ps-sync. */
enum status ps_serve_all(struct worker *w);
enum status ps_dismiss_all(struct worker *w);

#endif
