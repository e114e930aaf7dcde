/*
 * list.h - the types of graphs. Adding one: its file under types/, and its line here.
 */
#ifndef GRAPH_LIST_H
#define GRAPH_LIST_H

#include "graph/graph.h"

#define GRAPH_LIST(X)             \
    X(cycle_graph)                \
    X(complete_graph)             \
    X(star_graph)                 \
    X(wheel_graph)                \
    X(path_graph)                 \
    X(torus_graph)                \
    X(hypercube_graph)            \
    X(exponential_graph)          \
    X(one_peer_exponential_graph) \
    X(erdos_renyi_graph)          \
    X(small_world_graph)          \
    X(geometric_graph)            \
    X(disk_graph)                 \
    X(file_graph)

#define GRAPH_DECLARE(symbol) extern const struct graph_ops symbol;
GRAPH_LIST(GRAPH_DECLARE)
#undef GRAPH_DECLARE

#endif
