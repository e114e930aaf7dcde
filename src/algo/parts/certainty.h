/*
 * certainty.h - an exchange of models in which nodes trust each other by what they have seen.
 *
 * Every value of a map's grid has a count u: the primal steps in which its gradient was not zero.
 * Both ends of a link compute the same weights from the counts of both:
 *
 *     w_i = 1/1000 + (1 - 1/1000) u_i / most, with the most of u_i + u_j over all values of grids
 *     w_j = the same of u_j
 *     difference_ij = 2 w_i w_j / (w_i + w_j) (x_j - x_i)          = - difference_ji, to the bit
 *
 * All weights are 1 if u_i + u_j is the same everywhere, and those of parameters outside of grids
 * always. The programs of the papers also subtract the least of u_i + u_j from u_i and from most.
 * This is 0 while there is a place that neither has seen; afterwards weights would be negative.
 */
#ifndef ALGO_PARTS_CERTAINTY_H
#define ALGO_PARTS_CERTAINTY_H

#include "algo/parts/admm.h"

/* The values of one grid among the parameters. */
struct certainty_range {
    int64_t begin, end;
};

struct certainty {
    struct certainty_range *ranges; /* [range_count], in order */
    int range_count;
    int64_t count; /* values of all grids */
    float *counts; /* [count], one grid after the other; whole numbers, which end at 2^24 */
};

/* counts is the worker's, so that checkpoints have it. */
void certainty_init(struct certainty *c, const struct tensor_layout *l, float *counts);
void certainty_release(struct certainty *c);

/* Counts a primal step, by the gradient of the loss alone. */
void certainty_add_step(struct certainty *c, const float *gradient);

/* The two ends of a link: models and counts of this node and of a neighbour. */
struct certainty_link {
    const float *x, *other;             /* [params] */
    const float *counts, *their_counts; /* [count] */
};

/* difference[params] <- that of the link, weights[params] += w_i */
void certainty_weigh(const struct certainty *c, const struct certainty_link *l, int64_t params,
                     float *difference, float *weights);

/*
 * Sends model and counts to the neighbours and receives theirs. The lag becomes the sum of the
 * differences over the neighbours that are used, admm.weights that of w_i. Each difference is also
 * passed to `use`, if that is not NULL.
 */
enum status certainty_exchange(const struct certainty *c, struct admm *a, struct worker *w,
                               void (*use)(struct worker *w, int neighbour,
                                           const float *difference));

#endif
