/*
 * graph.h - communication graphs: nodes, links with or without directions, and the ways of making
 * them.
 *
 * A graph is a function of the type, its options, the number of nodes and the seed: every node
 * makes the same one for itself, on every transport.
 *
 * Not here: mixing weights (weights.h), eigenvalues (spectrum.h), which graph a round has
 * (topology.h).
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/rng.h"
#include "conf/registry.h"

enum { GRAPH_NODES_MAX = 1 << 14 };

/* The neighbours of node i are ends[begins[i] .. begins[i + 1] - 1], ascending. */
struct adjacency {
    int64_t *begins; /* [nodes + 1] */
    int *ends;       /* [begins[nodes]] */
};

/* The position of a node in the plane. */
struct position {
    double x, y;
};

/* No node is its own neighbour, and none has a neighbour twice. */
struct graph {
    int nodes;
    bool is_directed;
    struct adjacency out, in;   /* without directions the same lists */
    struct position *positions; /* [nodes], where nodes have them; else NULL */
};

/* The links while a graph is made. A zeroed struct is empty. */
struct arc {
    int from, to;
};
struct arcs {
    struct arc *items;
    int64_t count, capacity;
};
void arcs_add(struct arcs *a, int from, int to);
void arcs_release(struct arcs *a);

/* Links may repeat; without directions each is given once, either way round. */
void graph_init(struct graph *g, int nodes, bool is_directed, const struct arcs *arcs);
void graph_release(struct graph *g); /* may be called twice */

static inline int64_t graph_out_degree(const struct graph *g, int node)
{
    return g->out.begins[node + 1] - g->out.begins[node];
}

static inline int64_t graph_in_degree(const struct graph *g, int node)
{
    return g->in.begins[node + 1] - g->in.begins[node];
}

int64_t graph_edge_count(const struct graph *g); /* without directions both ways are one */

/* The edges as a list of pairs [from, to]; without directions each once. */
void graph_edges_json(const struct graph *g, struct json *j, const char *key);

/* Whether every node reaches every other one, along the directions. One node is connected. */
bool graph_is_connected(const struct graph *g);

/* The same; when it is not, node *from does not reach node *to. */
bool graph_find_gap(const struct graph *g, int *from, int *to);

/* The longest of the shortest ways; -1 when the graph is not connected. */
int graph_diameter(const struct graph *g);

/* Numbers the parts that hang together, directions aside: labels[nodes]; answers how many. */
int graph_components(const struct graph *g, int *labels);

/* --- the registry --- */

struct graph_request {
    int nodes;
    uint64_t seed;
    int64_t draw; /* random types: another one for each number */
    int phase;    /* of a type that changes by itself: 0 .. graph_phases() - 1 */
    const struct position *positions; /* [nodes], of graph_motion; NULL: as the options say */
};

/*
 * Nodes that move: sets of positions, and which of them holds when. A step lasts `step_rounds`
 * rounds; after the last step the first comes again. Without sets they do not move.
 */
struct graph_motion {
    struct position *positions; /* [sets][nodes] */
    int sets;
    int32_t *set_of_step; /* [steps] */
    int64_t steps, step_rounds;
};
void graph_motion_release(struct graph_motion *m); /* may be called twice */

extern const struct registry graph_registry;

/* Embeds the content of files in the options; once, when they have been read. */
enum status graph_embed(struct choice *type);

/* On failure nothing is left behind. */
enum status graph_make(const struct choice *type, const struct graph_request *q, struct graph *g);

/* How nodes move by the options of the type. On failure nothing is left behind. */
enum status graph_motion_init(const struct choice *type, int nodes, struct graph_motion *m);

/* Whether the type links nodes by given positions; and whether its options give them. */
bool graph_takes_positions(const struct choice *type);
bool graph_has_positions(const struct choice *type);

/* Whether nodes follow the positions of their data, and do not stay at the first ones. */
bool graph_moves_with_data(const struct choice *type);

/* After how many rounds a type begins again by itself; 1: it does not change. */
int graph_phases(const struct choice *type, int nodes);

/* --- for the files under types/ --- */

/* Adding a type: its file with one of these, its line in list.h. */
struct graph_ops {
    struct entry entry;
    bool is_directed;
    int (*phases)(const void *options, int nodes); /* NULL: 1 */

    /* When options were read: puts the content of files that they name into the options, which
     * then say everything about the graph. NULL: they name none. */
    enum status (*embed)(void *options);
    enum status (*make)(const void *options, const struct graph_request *q, struct graph *g);

    bool takes_positions;                       /* `make` looks at graph_request.positions */
    bool (*has_positions)(const void *options); /* with takes_positions */
    bool (*moves)(const void *options);         /* with takes_positions: as the data do */
    enum status (*motion)(const void *options, int nodes, struct graph_motion *m); /* NULL: none */
};

/* Random numbers of an attempt, and the indices that belong to a pair or a node. */
struct rng graph_rng(const struct graph_request *q, int64_t attempt);
uint64_t graph_key(const struct graph_request *q, int from, int to);

/* Makes a graph of the links and empties them. */
void graph_take(struct graph *g, const struct graph_request *q, bool is_directed,
                struct arcs *arcs);

/* Draws until the graph is connected; false: never in so many attempts, and nothing is left. */
typedef void graph_draw(const void *options, const struct graph_request *q, const struct rng *r,
                        struct graph *g);
bool graph_draw_connected(graph_draw *draw, const void *options, const struct graph_request *q,
                          int64_t attempts, struct graph *g);

#endif
