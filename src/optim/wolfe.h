/*
 * wolfe.h - a line search for the strong Wolfe conditions; private to L-BFGS.
 */
#ifndef OPTIM_WOLFE_H
#define OPTIM_WOLFE_H

#include "optim/optim.h"
#include "optim/parallel.h"

/* A point of the line x + t d: loss, its slope along d, and its gradient. */
struct wolfe_point {
    double t, loss, slope;
    float *gradient; /* [n], borrowed */
};

/* Where to search. All borrowed. */
struct wolfe_line {
    struct parallel *parallel;
    const struct objective *f;
    int64_t n;
    const float *start;     /* [n] x */
    const float *direction; /* [n] d */
    float *x;               /* [n] where trial points go */
    float *spare[2];        /* [n] each, for gradients */
    int evaluations;        /* out */
};

/*
 * From `at`, which holds t = 0 with loss, slope < 0 and gradient, to the point accepted, beginning
 * with the trial t = first. at->gradient keeps its place and gets the new values. line->x is left
 * at some trial.
 */
enum status wolfe_search(struct wolfe_line *line, struct wolfe_point *at, double first);

#endif
