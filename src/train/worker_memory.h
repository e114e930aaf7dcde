/*
 * worker_memory.h - what one worker or server of a run owns: its vectors, its optimiser, its
 * problem.
 */
#ifndef TRAIN_WORKER_MEMORY_H
#define TRAIN_WORKER_MEMORY_H

#include "train/build.h"

struct worker_memory {
    const struct build *build; /* borrowed */
    int rank;                  /* build->workers: the server */
    struct optim optim;
    struct optim outer; /* the algorithm's; ops NULL: it has none */
    float *state;
    int64_t *batches_tracked; /* BatchNorm's counts of batches */
    struct problem *problem;
    int vector_count, number_count; /* the algorithm's own */
    float **vectors;
    int64_t *numbers;
    struct client *clients;
    int64_t
        *client_rounds; /* [workers], on a server whose workers leave after their own; or NULL */
    /* [workers]: bytes sent to each other node, over a graph; with responders [2 workers], where
     * the second half is what was sent to those, until all have finished; else NULL. */
    int64_t *sent;
    struct worker worker; /* all of it as the algorithm sees it; the caller sets `transport` */
};

/* With the initial weights. rank == build->workers is the server. */
struct worker_memory *worker_memory_new(const struct build *b, int rank);
void worker_memory_free(struct worker_memory *a); /* NULL is fine */

#endif
