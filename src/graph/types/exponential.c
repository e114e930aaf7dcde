/*
 * exponential.c - directed graphs with hops 1, 2, 4, ...: all of them in every round, or one hop a
 * round in turn.
 *
 *     i  ->  i + 2^k mod N,    k = 0 .. ceil(log2 N) - 1
 *
 * With a power of two of nodes, the one-peer form averages exactly in log2 N rounds.
 *
 * Assran et al., "Stochastic Gradient Push for Distributed Deep Learning", 2019; Ying et al.,
 * "Exponential Graph is Provably Efficient for Decentralized Deep Training", 2021.
 */
#include "graph/list.h"

/* ceil(log2 nodes) */
static int hops_of(int nodes)
{
    int hops = 0;

    while ((int64_t)1 << hops < nodes)
        hops++;
    return hops;
}

static void add_hop(struct arcs *arcs, int nodes, int hop)
{
    for (int i = 0; i < nodes; i++)
        arcs_add(arcs, i, (int)(((int64_t)i + ((int64_t)1 << hop)) % nodes));
}

static enum status exponential_make(const void *options, const struct graph_request *q,
                                    struct graph *g)
{
    struct arcs arcs = {0};

    (void)options;
    for (int hop = 0; hop < hops_of(q->nodes); hop++)
        add_hop(&arcs, q->nodes, hop);
    graph_take(g, q, true, &arcs);
    return STATUS_OK;
}

static int one_peer_phases(const void *options, int nodes)
{
    (void)options;
    return nodes <= 2 ? 1 : hops_of(nodes);
}

static enum status one_peer_make(const void *options, const struct graph_request *q,
                                 struct graph *g)
{
    struct arcs arcs = {0};

    (void)options;
    if (q->nodes > 1)
        add_hop(&arcs, q->nodes, q->phase);
    graph_take(g, q, true, &arcs);
    return STATUS_OK;
}

const struct graph_ops exponential_graph = {
    .entry = {.name = "exponential",
              .summary = "directed: each node to the nodes 1, 2, 4, ... after it"},
    .is_directed = true,
    .make = exponential_make,
};

const struct graph_ops one_peer_exponential_graph = {
    .entry =
        {
                .name = "one_peer_exponential",
                .summary = "directed: each node to one node per round, 1, 2, 4, ... after it in turn",
                },
    .is_directed = true,
    .phases = one_peer_phases,
    .make = one_peer_make,
};
