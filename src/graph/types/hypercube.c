/*
 * hypercube.c - the hypercube: nodes whose numbers differ in one bit. The number of nodes must be a
 * power of two.
 */
#include "graph/list.h"

static enum status hypercube_make(const void *options, const struct graph_request *q,
                                  struct graph *g)
{
    struct arcs arcs = {0};
    int below = 1;

    (void)options;
    while (2 * below <= q->nodes)
        below *= 2;
    if (below != q->nodes)
        return FAIL(STATUS_BAD_INPUT,
                    "graph: a hypercube needs a power of two nodes, not %d; use %d or %d nodes",
                    q->nodes, below, 2 * below);
    for (int i = 0; i < q->nodes; i++) {
        for (int bit = 1; bit < q->nodes; bit *= 2) {
            if ((i & bit) == 0)
                arcs_add(&arcs, i, i | bit);
        }
    }
    graph_take(g, q, false, &arcs);
    return STATUS_OK;
}

const struct graph_ops hypercube_graph = {
    .entry = {.name = "hypercube", .summary = "nodes whose numbers differ in one bit"},
    .make = hypercube_make,
};
