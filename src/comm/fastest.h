/*
 * fastest.h - the weights of a connected graph's edges that mix fastest.
 */
#ifndef COMM_FASTEST_H
#define COMM_FASTEST_H

#include <stdint.h>

#include "comm/graph.h"

enum { FASTEST_NODES_MAX = 256 };

/* A connected part of a graph. All borrowed. */
struct fastest_part {
    int nodes; /* numbered from 0 within the part */
    int64_t count;
    const struct arc *edges; /* [count] each once */
};

/* weights[count]: a start that is allowed (as metropolis); becomes the best that was found. */
void fastest_search(const struct fastest_part *part, double *weights);

#endif
