/*
 * quadratic.h - a problem whose answer is known: worker i has
 *
 *     f_i(x) = 1/2 sum_j a_ij (x_j - b_ij)^2
 *
 * and the run is to minimise the mean F of all f_i. Curvatures a and centres b differ from worker
 * to worker, which is what makes averaging methods miss the optimum. There are no classes, no model
 * and no data; a state has no buffers.
 *
 * `problem: quadratic` of a run config makes it by quadratic.c; tests use the functions below.
 */
#ifndef PROBLEM_QUADRATIC_H
#define PROBLEM_QUADRATIC_H

#include "problem/problem.h"

struct quadratic_options {
    int64_t size; /* parameters */
    int workers;
    uint64_t seed;
    double spread;   /* how far the workers' centres lie apart; 0: all have the same */
    double noise;    /* standard deviation of each element of a sample's gradient; 0: exact */
    int64_t samples; /* of each worker in an epoch; 0: one */
    int64_t batch;   /* samples of a mini-batch; 0: one */
};

/* The functions of all workers: read-only once it is made, so workers share it. */
struct quadratic {
    struct quadratic_options options;
    double *a, *b;            /* [workers][size]: a in [0.5, 2), b normal around a common centre */
    double *mean_a, *optimum; /* [size] */
};

void quadratic_init(struct quadratic *q, const struct quadratic_options *options);
void quadratic_release(struct quadratic *q);

/* Where F is smallest: sum_i a_ij b_ij / sum_i a_ij. */
const double *quadratic_optimum(const struct quadratic *q);

/* F(x) less its minimum. */
double quadratic_excess(const struct quadratic *q, const float *x);

/*
 * One worker's part of it; q is borrowed. The loss of sample k is f_i(x) + noise sum_j z_j x_j,
 * with z drawn by (seed, worker, k). An evaluation's samples are the functions of the workers,
 * whatever the part: its loss is quadratic_excess, its other metric the Euclidean distance to the
 * optimum.
 */
struct problem *quadratic_new(const struct quadratic *q, int worker);

#endif
