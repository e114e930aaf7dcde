/*
 * stale_copies.h - for messages that get lost: a node keeps the last vector that it has received
 * from each other node, and uses it in the place of one that does not arrive.
 */
#ifndef ALGO_PARTS_STALE_COPIES_H
#define ALGO_PARTS_STALE_COPIES_H

#include "algo/parts/mixing.h"

/* Both are the algorithm's own, so that checkpoints have them. */
struct stale_copies {
    float **vectors; /* [workers - 1]: of all nodes but this one */
    int64_t *known;  /* [workers]: 1 once a vector has come from this node */
};

/*
 * As mixing_receive, but the lag is over all neighbours of this round's graph that have ever been
 * heard: with what they have said last.
 */
enum status stale_copies_receive(const struct stale_copies *c, struct mixing *m, struct worker *w,
                                 const struct mixing_vector *v, enum mixing_weights weights);

#endif
