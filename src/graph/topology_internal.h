/*
 * topology_internal.h - what a topology is made of, for the files that make and read it.
 */
#ifndef GRAPH_TOPOLOGY_INTERNAL_H
#define GRAPH_TOPOLOGY_INTERNAL_H

#include "graph/outages.h"
#include "graph/topology.h"
#include "graph/weights.h"

/* One graph of the list. */
struct stage {
    struct graph graph;
    struct weights weights;
};

/* The graphs of one entry of the schedule: stages first .. first + count - 1. */
struct turn {
    int first, count;
};

/* A node's own lists, for rounds with outages. */
struct scratch {
    int *in, *out;
    double *weights;
};

struct topology {
    struct topology_options options; /* its text is not kept */
    uint64_t seed;
    int nodes, degree_max;
    bool is_directed;
    struct stage *stages; /* [stage_count] */
    int stage_count;
    struct turn *turns; /* [turn_count] */
    int turn_count;
    int32_t *stage_of_step; /* [steps], if nodes move; else NULL, and turns say it */
    int64_t steps, step_rounds;
    struct outages outages;
    struct scratch *scratch;    /* [nodes], with outages; else NULL */
    struct graph *outage_graph; /* what topology_graph answers with outages */
};

static inline bool topology_has_outages(const struct topology *t)
{
    return t->options.drop_links > 0 || t->options.drop_nodes > 0;
}

#endif
