/*
 * memory_estimate.h - how much memory a run will take on this host, before anything large is
 * allocated. Within 15 % of the peak where vectors and data are most of it; tests/e2e holds it to
 * that for 1000 workers.
 */
#ifndef TRAIN_MEMORY_ESTIMATE_H
#define TRAIN_MEMORY_ESTIMATE_H

#include "train/build.h"

/* In bytes. */
struct memory_estimate {
    double states; /* vectors of workers and server, messages on their way, scratch */
    double work;   /* activations and batches of those who compute at once, and of an evaluation */
    double data;   /* the data set, and the order of each worker's samples */
    double rest;   /* the program, and what grows with workers whatever the model */
};

/* Needs model, batch, threads and topology_facts. */
struct memory_estimate memory_estimate(const struct build *b, const struct build_size *size);

/* The same if batches had other sizes than in the plan. */
struct memory_estimate memory_estimate_with(const struct build *b, const struct build_size *size,
                                            struct problem_batch batch);
double memory_estimate_total(const struct memory_estimate *m);

/* Vectors of the state's length that all workers on this host hold together. */
double memory_estimate_vectors(const struct build *b, const struct build_size *size);

#endif
