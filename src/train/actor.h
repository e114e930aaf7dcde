/*
 * actor.h - what one worker or server of a run owns: its vectors, its optimiser, its problem.
 */
#ifndef TRAIN_ACTOR_H
#define TRAIN_ACTOR_H

#include "train/build.h"

struct actor {
    const struct build *build; /* borrowed */
    struct optim optim;
    float *state, *gradient;
    int64_t *counters; /* BatchNorm's counts of batches */
    struct problem *problem;
    int vector_count, number_count; /* the algorithm's own */
    float **vectors;
    int64_t *numbers;
    struct client *clients;
    int64_t
        *sent; /* [workers]: bytes to each other node, over a graph; with responders [2 workers],
                * where the second half is to those, until all have ended; else NULL */
    struct worker
        worker; /* all of it as the algorithm sees it; `transport` is set by who runs it */
};

/* With the initial weights. rank == build->workers is the server. */
struct actor *actor_new(const struct build *b, int rank);
void actor_free(struct actor *a); /* NULL is fine */

#endif
