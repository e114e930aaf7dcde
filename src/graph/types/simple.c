/*
 * simple.c - graphs that need no more than the number of nodes: cycle, path, star, wheel, complete.
 */
#include "graph/list.h"

static void add_path(struct arcs *arcs, int first, int end)
{
    for (int i = first; i + 1 < end; i++)
        arcs_add(arcs, i, i + 1);
}

/* Two nodes have one link between them, one node has none. */
static void add_cycle(struct arcs *arcs, int first, int end)
{
    add_path(arcs, first, end);
    if (end - first > 2)
        arcs_add(arcs, first, end - 1);
}

static void add_spokes(struct arcs *arcs, int nodes)
{
    for (int i = 1; i < nodes; i++)
        arcs_add(arcs, 0, i);
}

static enum status path_make(const void *options, const struct graph_request *q, struct graph *g)
{
    struct arcs arcs = {0};

    (void)options;
    add_path(&arcs, 0, q->nodes);
    graph_take(g, q, false, &arcs);
    return STATUS_OK;
}

static enum status cycle_make(const void *options, const struct graph_request *q, struct graph *g)
{
    struct arcs arcs = {0};

    (void)options;
    add_cycle(&arcs, 0, q->nodes);
    graph_take(g, q, false, &arcs);
    return STATUS_OK;
}

static enum status star_make(const void *options, const struct graph_request *q, struct graph *g)
{
    struct arcs arcs = {0};

    (void)options;
    add_spokes(&arcs, q->nodes);
    graph_take(g, q, false, &arcs);
    return STATUS_OK;
}

static enum status wheel_make(const void *options, const struct graph_request *q, struct graph *g)
{
    struct arcs arcs = {0};

    (void)options;
    add_spokes(&arcs, q->nodes);
    add_cycle(&arcs, 1, q->nodes);
    graph_take(g, q, false, &arcs);
    return STATUS_OK;
}

static enum status complete_make(const void *options, const struct graph_request *q,
                                 struct graph *g)
{
    struct arcs arcs = {0};

    (void)options;
    for (int i = 0; i < q->nodes; i++) {
        for (int j = i + 1; j < q->nodes; j++)
            arcs_add(&arcs, i, j);
    }
    graph_take(g, q, false, &arcs);
    return STATUS_OK;
}

const struct graph_ops path_graph = {
    .entry = {.name = "path",
              .also = "line chain",
              .summary = "a line: each node with the one before and after"},
    .make = path_make,
};

const struct graph_ops cycle_graph = {
    .entry = {.name = "cycle",
              .also = "ring loop",
              .summary = "a ring: each node with the one before and after"},
    .make = cycle_make,
};

const struct graph_ops star_graph = {
    .entry = {.name = "star", .summary = "node 0 with all others"},
    .make = star_make,
};

const struct graph_ops wheel_graph = {
    .entry = {.name = "wheel", .summary = "node 0 with all others, which form a ring"},
    .make = wheel_make,
};

const struct graph_ops complete_graph = {
    .entry = {.name = "complete",
              .also = "full fully-connected all-to-all",
              .summary = "every node with every other"},
    .make = complete_make,
};
