/*
 * dc_asgd.h - delay compensation of DC-ASGD: a gradient that was computed at old parameters is
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
#ifndef ALGO_PARTS_DC_ASGD_H
#define ALGO_PARTS_DC_ASGD_H

#include <stdint.h>

enum dc_asgd_mode { DC_ASGD_NONE, DC_ASGD_CONSTANT, DC_ASGD_ADAPTIVE };

/* Where the parameters are, and where they were when the gradient's worker got them. */
struct dc_asgd_move {
    const float *now, *backup; /* [count] */
    int64_t count;
    float lambda;
};

/* ms <- decay ms + (1 - decay) g (.) g */
void dc_asgd_observe(float *ms, const float *g, double decay, int64_t count);

/* g <- g', with the same lambda for all elements. */
void dc_asgd_constant(float *g, const struct dc_asgd_move *move);

/* g <- g', with lambda / sqrt(ms + 1e-7) for each. */
void dc_asgd_adaptive(float *g, const float *ms, const struct dc_asgd_move *move);

#endif
