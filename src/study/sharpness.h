/*
 * sharpness.h - how sharp the minimum is that a model is in: the largest eigenvalue of the Hessian
 * of the training loss, and how far the loss rises at a small distance.
 */
#ifndef STUDY_SHARPNESS_H
#define STUDY_SHARPNESS_H

#include "problem/problem.h"
#include "study/landscape.h"

enum { SHARPNESS_ITERATIONS = 20, SHARPNESS_DIRECTIONS = 10 };
#define SHARPNESS_RADIUS 0.05

/* Which batches the Hessian is of, and how it is found. */
struct sharpness_search {
    int64_t batches; /* of the problem's first epoch, at most all */
    int iterations;
    uint64_t seed; /* of the first vector */
};

/*
 * The eigenvalue of largest magnitude of the Hessian of the mean loss over some batches, by power
 * iteration. Products with the Hessian are differences of gradients. As in training: with dropout,
 * the same for the same sample, and BatchNorm by the batch.
 */
double sharpness_eigenvalue(struct problem *p, const float *state,
                            const struct sharpness_search *search);

/* Of the final model of a run. */
struct sharpness {
    char *name;        /* of the run; owned */
    char *data;        /* what loss and rise are of; owned */
    double loss;       /* on the test samples */
    double rise;       /* mean over random directions of radius 0.05, filter-normalised */
    double eigenvalue; /* on batches of worker 0 */
    int64_t batches;   /* of them */
};

/* result[q->runs->count]; sharpness_release each of them, also after a failure. */
enum status sharpness_measure(const struct landscape_request *q, struct sharpness *result);
void sharpness_release(struct sharpness *s);

#endif
