/*
 * topology.h - who talks to whom in a round, and with which weights: the communication graph of a
 * run, perhaps another one in every round.
 *
 * Everything is a function of the options, the seed, the number of nodes and the round, so that all
 * nodes know it without a message, on every transport.
 *
 * A topology goes through a list of graphs: the chosen type, then what `schedule` names, each for
 * `switch_every` rounds, and then again. A type that changes by itself (one_peer_exponential) does
 * so in every round of its turn. If nodes move, there is one graph for each set of their positions,
 * and a table says which holds when (graph_motion). Links and nodes may be out in a round
 * (outages.h): what does not arrive is left out of the receiver's mean, and its weight stays with
 * the receiver.
 */
#ifndef GRAPH_TOPOLOGY_H
#define GRAPH_TOPOLOGY_H

#include "graph/graph.h"

struct topology;

/* The options beside those of the type, in the same section "graph". */
struct topology_options {
    int weights; /* enum weight_rule */
    double drop_links, drop_nodes;
    int drop_direction;         /* enum drop_direction */
    double burst_length;        /* rounds; 0: losses do not depend on each other */
    double loss_good, loss_bad; /* of links in either state, with bursts */
    bool require_connected;     /* for who trains over it: topology_is_connected */
    char *schedule;
    int64_t switch_every;
};

extern const struct field topology_fields[];

/*
 * A section "graph" as a whole: {name: erdos_renyi, p: 0.3, weights: fastest}, or the bare name, or
 * NULL. Without a name it is `fallback`. On failure nothing is left behind.
 */
struct topology_choice {
    struct choice type;
    struct topology_options options;
};
enum status topology_choice_read(struct topology_choice *c, const struct node *section,
                                 const char *fallback);
void topology_choice_dump(const struct topology_choice *c, struct node *section);
void topology_choice_release(struct topology_choice *c); /* may be called twice */

struct topology_request {
    const struct choice *type;              /* of graph_registry */
    const struct topology_options *options; /* NULL: the defaults */
    int nodes;
    uint64_t seed;
    const struct graph_motion *motion; /* how nodes move; NULL: as the type's options say */
};

/* On failure nothing is left behind. Borrows for the call only. */
enum status topology_new(const struct topology_request *q, struct topology **t);

/*
 * One node's part of a round. A node reads from `in` and is read by `out`; without directions the
 * two lists are the same. Lists are ascending and never hold the node itself.
 *
 *     x_i  <-  self x_i + sum_j weights[j] x_(in[j])
 *
 * Rows of the mixing matrix add up to 1, and so do its columns unless the graph is directed: then
 * the columns do. With one-way losses the rows do, and the columns on average. For algorithms that
 * push, each node gives the share `push` of its own to every one of `out` and keeps 1 - out_count *
 * push, which is as much within rounding; with directions that is `self`, and `weights` are the
 * shares of the neighbours.
 *
 * All of them are exact as float, and so are the sums (weights.h).
 */
struct neighbourhood {
    int in_count, out_count;
    const int *in, *out;
    const double *weights; /* [in_count] */
    double self, push;
    int link_count;             /* what `in` would have without outages, */
    const int *links;           /* [link_count], */
    const double *link_weights; /* [link_count]; with directions only if there are none */
};

/* As of this round, until the next call for the same node. Thread-safe for different nodes. */
void topology_neighbourhood(const struct topology *t, int64_t round, int node,
                            struct neighbourhood *n);

int topology_nodes(const struct topology *t);

/* The most neighbours, in or out, that any node has in any round. */
int topology_degree_max(const struct topology *t);

/* Whether the graph is another one in some rounds. */
bool topology_changes(const struct topology *t);

/* Whether nodes have other positions in some rounds; and whether they got new ones in this round.
 */
bool topology_moves(const struct topology *t);
bool topology_moves_in(const struct topology *t, int64_t round);

/*
 * Whether in the course of all rounds every node reaches every other one, outages aside; else one
 * that never reaches another.
 */
bool topology_is_connected(const struct topology *t, int *from, int *to);

/* Whether links have a direction in some round: then only what pushes keeps the mean. */
bool topology_is_directed(const struct topology *t);

/* Whether rows and columns of the mixing matrix add up to 1 in every round, within rounding; losses
 * of one direction aside. */
bool topology_is_doubly_stochastic(const struct topology *t);

/* Whether in every round nodes receive from exactly those that they send to; the same aside. */
bool topology_is_two_way(const struct topology *t);

/* Whether links without directions may fail in one of them only: drop_direction. */
bool topology_loses_one_way(const struct topology *t);

/* What is so in all rounds, for who plans a run and need not keep the graph. */
struct topology_facts {
    int nodes, degree_max;
    bool changes, is_two_way, is_doubly_stochastic, loses_one_way,
        moves; /* as of these functions */
};
struct topology_facts topology_facts(const struct topology *t);

/* After how many rounds the list of graphs begins again; 1: it is one graph. Outages aside. */
int64_t topology_period(const struct topology *t);

/*
 * The graph of a round (borrowed until the next call), for pictures, records and measures. Not for
 * two threads at once when there are outages.
 */
const struct graph *topology_graph(const struct topology *t, int64_t round);

/* The same, outages aside. For any number of threads. */
const struct graph *topology_whole_graph(const struct topology *t, int64_t round);

/* The mixing matrix of a round, into w[nodes][nodes]. */
void topology_matrix(const struct topology *t, int64_t round, double *w);

/*
 * 1 - max(|lambda_2|, |lambda_N|) of the first round's mixing matrix, or of one round's. The first
 * is without outages.
 */
double topology_spectral_gap(const struct topology *t);
double topology_spectral_gap_of(const struct topology *t, int64_t round);

void topology_free(struct topology *t); /* NULL is fine */

#endif
