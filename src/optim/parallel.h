/*
 * parallel.h - arithmetic on long vectors by a team of threads; private to optim/.
 *
 * Bits do not depend on the number of threads. What is summed is cut into pieces whose size depends
 * on the length alone, and the pieces are added in order. Short vectors, and those without a team,
 * stay on the caller's thread.
 */
#ifndef OPTIM_PARALLEL_H
#define OPTIM_PARALLEL_H

#include "optim/optim.h"

/* body(context, begin, count) for ranges that together are [0, n); for what has no sum. */
typedef void parallel_body(void *context, int64_t begin, int64_t count);
void parallel_for(struct team *team, int64_t n, parallel_body *body, void *context);

/* The sum of body over fixed pieces of [0, n). */
typedef double parallel_sum_body(void *context, int64_t begin, int64_t count);
double parallel_sum(struct team *team, int64_t n, parallel_sum_body *body, void *context);

/* Who computes; team may be NULL. */
struct parallel {
    const struct kernel *kernel;
    struct team *team;
};

/* Takes a team of the pool, which may be NULL, and gives it back. */
struct parallel parallel_begin(struct team_pool *teams);
void parallel_end(struct parallel *p, struct team_pool *teams);

/* Loss and gradient at x. p's team is given back meanwhile: the objective computes with it. */
enum status parallel_evaluate(struct parallel *p, const struct objective *f, const float *x,
                              float *gradient, double *loss);

/* As the kernel's functions of the same names. */
void parallel_copy(const struct parallel *p, float *to, const float *from, int64_t n);
void parallel_scale(const struct parallel *p, float *x, float a, int64_t n);
void parallel_axpy(const struct parallel *p, float *y, float a, const float *x, int64_t n);
double parallel_dot(const struct parallel *p, const float *x, const float *y, int64_t n);
double parallel_sum_abs(const struct parallel *p, const float *x, int64_t n);
float parallel_max_abs(const struct parallel *p, const float *x, int64_t n);

#endif
