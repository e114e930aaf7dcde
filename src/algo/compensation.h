/*
 * compensation.h - delay compensation of DC-ASGD: a gradient that was computed at old parameters is
 * corrected to first order for how far the parameters have moved since.
 *
 *     g'  =  g + lambda g (.) g (.) (x - backup)            (.): element by element
 *
 * g (.) g stands for the diagonal of the Hessian. With `constant` lambda is a number; with
 * `adaptive` it is lambda / sqrt(MS + 1e-7) for each element, where
 *
 *     MS  <-  m MS + (1 - m) g (.) g
 *
 * Zheng et al., "Asynchronous Stochastic Gradient Descent with Delay Compensation", 2017.
 */
#ifndef ALGO_COMPENSATION_H
#define ALGO_COMPENSATION_H

#include <stdint.h>

enum compensation { COMPENSATION_NONE, COMPENSATION_CONSTANT, COMPENSATION_ADAPTIVE };

/* Where the parameters are, and where they were when the gradient's worker got them. */
struct compensation_move {
    const float *now, *backup; /* [count] */
    int64_t count;
    float lambda;
};

/* ms <- decay ms + (1 - decay) g (.) g */
void compensation_observe(float *ms, const float *g, double decay, int64_t count);

/* g <- g', with the same lambda for all elements. */
void compensation_constant(float *g, const struct compensation_move *move);

/* g <- g', with lambda / sqrt(ms + 1e-7) for each. */
void compensation_adaptive(float *g, const float *ms, const struct compensation_move *move);

#endif
