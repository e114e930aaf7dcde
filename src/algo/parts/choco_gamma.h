/*
 * choco_gamma.h - which step size of CHOCO's gossip agrees soonest, tried on pure consensus: nodes
 * that start from random vectors, and no gradients.
 */
#ifndef ALGO_PARTS_CHOCO_GAMMA_H
#define ALGO_PARTS_CHOCO_GAMMA_H

#include "comm/compressor.h"

struct choco_gamma_request {
    const double *w; /* [nodes][nodes]: the mixing matrix */
    int nodes;
    struct compressor_request compressor; /* of the run; tried on shorter vectors */
    uint64_t seed;
};

/*
 * The gamma of (0, 1] with the fastest agreement, less a margin where there is loss. Vectors have
 * at most some hundred values; a compressor whose delta is smaller on the run's longer ones gets a
 * gamma that is smaller in proportion, as the theory has it. 1 where there is nothing to agree on.
 */
double choco_gamma_best(const struct choco_gamma_request *r);

/*
 * How fast this gamma agrees: the natural logarithm by which a round multiplies the squared
 * distance from the mean, over `size` values; positive where it diverges.
 */
double choco_gamma_rate(const struct choco_gamma_request *r, int64_t size, double gamma);

#endif
