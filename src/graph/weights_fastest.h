/*
 * weights_fastest.h - the weights of a connected graph's edges that mix fastest.
 */
#ifndef GRAPH_WEIGHTS_FASTEST_H
#define GRAPH_WEIGHTS_FASTEST_H

#include <stdint.h>

#include "graph/graph.h"

enum { WEIGHTS_FASTEST_NODES_MAX = 256 };

/* A connected part of a graph. All borrowed. */
struct weights_component {
    int nodes; /* numbered from 0 within the part */
    int64_t count;
    const struct arc *edges; /* [count] each once */
};

/* weights[count]: a start that is allowed (as metropolis); becomes the best that was found. */
void weights_fastest_search(const struct weights_component *part, double *weights);

#endif
