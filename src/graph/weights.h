/*
 * weights.h - how much of a neighbour's value a node takes: the mixing matrix W of a graph.
 *
 *     metropolis   W_ij = 1 / (1 + max(d_i, d_j))
 *     uniform      W = I - L / (1 + d_max)
 *     laplacian    W = I - e L with the best e = 2 / (lambda_2 + lambda_N); the diagonal may be
 *                  negative, as in a star
 *     fastest      no negative entry, and the second largest eigenvalue by magnitude as small as
 *                  can be (weights_fastest.h)
 *
 * d are degrees, and lambda the eigenvalues of the Laplacian L, ascending. All are symmetric, and
 * rows and columns add up to 1 exactly: weights are multiples of a power of 1/2 such that they and
 * the diagonal are numbers of type float, so that a mean is kept in float as well.
 *
 * With directions, W has the shares that a node gives: W_ji = 1 / (1 + out-degree of i) to every
 * neighbour and the rest, as much again, for itself. Columns add up to 1, rows need not.
 */
#ifndef GRAPH_WEIGHTS_H
#define GRAPH_WEIGHTS_H

#include "graph/graph.h"

enum weight_rule {
    WEIGHTS_METROPOLIS,
    WEIGHTS_UNIFORM,
    WEIGHTS_LAPLACIAN,
    WEIGHTS_FASTEST,
    WEIGHTS_RULES
};

extern const char *const weight_rule_names[WEIGHTS_RULES + 1]; /* ends with NULL */

struct weights {
    double *in;   /* beside graph.in.ends: W_ij of i's list */
    double *self; /* [nodes] W_ii */
    double *push; /* [nodes] the share for each of the out-neighbours, if a node gives shares */
};

/* How fine the weights are: WEIGHTS_COARSE also when links are taken out later. */
enum weights_grid { WEIGHTS_FINE, WEIGHTS_COARSE };

/* On failure nothing is left behind. Rules that need eigenvalues take no directions. */
enum status weights_init(struct weights *w, const struct graph *g, enum weight_rule rule,
                         enum weights_grid grid);
void weights_release(struct weights *w); /* may be called twice */

/* 1 / (1 + receivers) as a float such that 1 - receivers * share is one as well. */
double weights_share(int64_t receivers);

/* W as a matrix [nodes][nodes]. */
void weights_matrix(const struct weights *w, const struct graph *g, double *matrix);

#endif
