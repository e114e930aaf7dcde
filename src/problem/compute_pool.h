/*
 * compute_pool.h - a pool of compute contexts: a team of threads and a workspace for one gradient,
 * and the arrays of one batch.
 *
 * Nothing in a context outlives a computation, so it belongs to the worker that computes at the
 * moment: a thousand workers of which two compute at once cost two contexts. The one given back
 * last is taken first, because its memory is still in cache.
 */
#ifndef PROBLEM_COMPUTE_POOL_H
#define PROBLEM_COMPUTE_POOL_H

#include "base/team_pool.h"
#include "data/dataset.h"
#include "nn/model.h"

struct compute_context {
    struct team *team;            /* of a pool of teams, while the context is taken */
    struct workspace *work;       /* for a piece */
    float *piece;                 /* [state_count]: gradient and statistics of a piece, or NULL */
    double *sums;                 /* [state_count - param_count], with `piece` */
    int32_t *labels;              /* [batch], or NULL: targets are numbers */
    float *targets;               /* [batch][target_size], or NULL */
    float *losses;                /* [batch] */
    int64_t *numbers;             /* [batch], of the samples of an evaluation */
    struct compute_context *next; /* private to compute_pool.c */
};

/* The compute contexts of a process. */
struct compute_pool;

/* For batches of at most `batch` samples of a data set, each with a team of `teams`. All are
 * borrowed. No context is made before it is taken. */
struct compute_pool *compute_pool_new_of(const struct model *model, const struct dataset *dataset,
                                         int64_t batch, struct team_pool *teams);

/* The same with teams of its own, of so many threads. */
struct compute_pool *compute_pool_new(const struct model *model, const struct dataset *dataset,
                                      int64_t batch, int threads);

/* At most so many samples of a batch go through the model at once. Before any context is taken. */
void compute_pool_limit(struct compute_pool *s, int64_t most);
void compute_pool_free(struct compute_pool *s); /* after all are given back; accepts NULL */

/* Thread-safe. Makes a context when none is free; never waits for one. */
struct compute_context *compute_pool_take(struct compute_pool *s);
void compute_pool_give(struct compute_pool *s, struct compute_context *context);

/* What they were made for. */
const struct model *compute_pool_model(const struct compute_pool *s);
int64_t compute_pool_batch(const struct compute_pool *s);
int64_t
compute_pool_piece(const struct compute_pool *s); /* samples that go through the model at once */
int compute_pool_threads(const struct compute_pool *s);

/* How many have been made: the most that were ever in use at once. */
int compute_pool_made(struct compute_pool *s);

/* What the memory of a context depends on, besides model and data. */
struct compute_size {
    int64_t batch, most; /* samples; of them at once */
    int threads;
};

/* The memory of one context for these sizes. */
int64_t compute_context_bytes(const struct model *model, const struct dataset *dataset,
                              const struct compute_size *size);

#endif
