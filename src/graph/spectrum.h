/*
 * spectrum.h - eigenvalues of symmetric matrices, and what they say of a graph: the Fiedler value
 * (how well it hangs together) and the spectral gap of mixing weights (how fast values agree).
 *
 * In double, with nothing of libm but square roots: every machine finds the same numbers.
 */
#ifndef GRAPH_SPECTRUM_H
#define GRAPH_SPECTRUM_H

#include "graph/graph.h"

/*
 * Eigenvalues of the symmetric a[n][n], ascending in values[n]; a is used up. With vectors, row i
 * of a becomes the unit eigenvector of values[i].
 */
enum spectrum_want { SPECTRUM_VALUES, SPECTRUM_VECTORS };
void spectrum_eigen(double *a, int n, double *values, enum spectrum_want want);

/* L = D - A of a graph without directions, into l[nodes][nodes]. */
void spectrum_laplacian(const struct graph *g, double *l);

/* The second smallest eigenvalue of L; 0 for one node. */
double spectrum_fiedler(const struct graph *g);

/*
 * 1 - |lambda_2|, where lambda_2 is the second largest eigenvalue by magnitude of w[n][n]: of a
 * symmetric matrix whose rows add up to 1, or of any whose columns do. 1 for one node.
 */
double spectrum_gap(const double *w, int n);
double spectrum_gap_directed(const double *w, int n);

#endif
