/*
 * topology_round.c - each node's part of a round, and what can be asked of a topology.
 *
 * Without outages a neighbourhood is a few pointers into what was made. With them it is a copy of
 * the node's list without what is out, in room that belongs to the node: so nothing is locked.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "graph/spectrum.h"
#include "graph/topology_internal.h"

#define ROUNDING 1e-5 /* of shares that are added up */

/* --- a round --- */

static const struct stage *stage_of(const struct topology *t, int64_t round)
{
    const int64_t every = t->options.switch_every;

    if (t->stage_of_step != NULL)
        return &t->stages[t->stage_of_step[round / t->step_rounds % t->steps]];

    const struct turn *turn = &t->turns[round / every % t->turn_count];

    return &t->stages[turn->first + round % turn->count];
}

/* How many of its out-neighbours a node reaches; those go to `kept` unless it is NULL. */
static int keep_out(const struct topology *t, int64_t round, int node, int *kept)
{
    const struct graph *g = &stage_of(t, round)->graph;
    int count = 0;

    for (int64_t k = g->out.begins[node]; k < g->out.begins[node + 1]; k++) {
        if (outages_hit(&t->outages, round, node, g->out.ends[k]))
            continue;
        if (kept != NULL)
            kept[count] = g->out.ends[k];
        count++;
    }
    return count;
}

/* The weight of the link at this place of the lists; a sender's shares are of what it reaches. */
static double weight_now(const struct topology *t, int64_t round, int64_t place)
{
    const struct stage *s = stage_of(t, round);

    if (!t->is_directed)
        return s->weights.in[place];
    return weights_share(keep_out(t, round, s->graph.in.ends[place], NULL));
}

static void neighbourhood_with_outages(const struct topology *t, int64_t round, int node,
                                       struct neighbourhood *n)
{
    const struct stage *s = stage_of(t, round);
    const struct graph *g = &s->graph;
    const struct scratch own = t->scratch[node];
    double rest = 1;

    *n = (struct neighbourhood){
        .in = own.in,
        .out = own.out,
        .weights = own.weights,
        .link_count = (int)graph_in_degree(g, node),
        .links = g->in.ends + g->in.begins[node],
        .link_weights = s->weights.in + g->in.begins[node],
    };
    for (int64_t k = g->in.begins[node]; k < g->in.begins[node + 1]; k++) {
        if (outages_hit(&t->outages, round, g->in.ends[k], node))
            continue;
        own.in[n->in_count] = g->in.ends[k];
        own.weights[n->in_count] = weight_now(t, round, k);
        rest -= own.weights[n->in_count++];
    }
    n->out_count = keep_out(t, round, node, own.out);
    n->push = weights_share(n->out_count);
    n->self = t->is_directed ? 1 - n->out_count * n->push : rest;
}

void topology_neighbourhood(const struct topology *t, int64_t round, int node,
                            struct neighbourhood *n)
{
    CHECK(round >= 0 && node >= 0 && node < t->nodes);
    if (topology_has_outages(t)) {
        neighbourhood_with_outages(t, round, node, n);
        return;
    }
    const struct stage *s = stage_of(t, round);
    const struct graph *g = &s->graph;
    *n = (struct neighbourhood){
        .in_count = (int)graph_in_degree(g, node),
        .out_count = (int)graph_out_degree(g, node),
        .in = g->in.ends + g->in.begins[node],
        .out = g->out.ends + g->out.begins[node],
        .weights = s->weights.in + g->in.begins[node],
        .self = s->weights.self[node],
        .push = s->weights.push[node],
    };
    n->link_count = n->in_count;
    n->links = n->in;
    n->link_weights = n->weights;
}

/* --- questions --- */

int topology_nodes(const struct topology *t)
{
    return t->nodes;
}

int topology_degree_max(const struct topology *t)
{
    return t->degree_max;
}

bool topology_changes(const struct topology *t)
{
    return t->stage_count > 1 || topology_has_outages(t);
}

bool topology_moves(const struct topology *t)
{
    return t->stage_of_step != NULL && t->stage_count > 1;
}

bool topology_moves_in(const struct topology *t, int64_t round)
{
    return topology_moves(t) && round > 0 && stage_of(t, round) != stage_of(t, round - 1);
}

/* All links of all graphs as one. */
static void unite_stages(const struct topology *t, struct graph *all)
{
    struct arcs arcs = {0};

    for (int s = 0; s < t->stage_count; s++) {
        const struct adjacency *out = &t->stages[s].graph.out;

        for (int i = 0; i < t->nodes; i++)
            for (int64_t k = out->begins[i]; k < out->begins[i + 1]; k++)
                arcs_add(&arcs, i, out->ends[k]);
    }
    graph_init(all, t->nodes, true, &arcs);
    arcs_release(&arcs);
}

bool topology_is_connected(const struct topology *t, int *from, int *to)
{
    struct graph all;

    for (int s = 0; s < t->stage_count; s++)
        if (graph_find_gap(&t->stages[s].graph, from, to))
            return true;
    unite_stages(t, &all);
    const bool is_connected = graph_find_gap(&all, from, to);
    graph_release(&all);
    return is_connected;
}

bool topology_is_directed(const struct topology *t)
{
    return t->is_directed;
}

/* With equal shares: whether every node gets as much as it gives. */
static bool is_balanced(const struct stage *s)
{
    const struct graph *g = &s->graph;

    for (int i = 0; i < g->nodes; i++) {
        double sum = s->weights.self[i];

        for (int64_t k = g->in.begins[i]; k < g->in.begins[i + 1]; k++)
            sum += s->weights.in[k];
        if (!(fabs(sum - 1) <= ROUNDING))
            return false;
    }
    return true;
}

bool topology_is_doubly_stochastic(const struct topology *t)
{
    bool is_so = !(t->is_directed && topology_has_outages(t));

    for (int i = 0; i < t->stage_count && is_so && t->is_directed; i++)
        is_so = is_balanced(&t->stages[i]);
    return is_so;
}

static bool stage_is_two_way(const struct stage *s)
{
    const struct adjacency *in = &s->graph.in, *out = &s->graph.out;
    const int nodes = s->graph.nodes;
    const int64_t links = in->begins[nodes];

    return memcmp(in->begins, out->begins, ((size_t)nodes + 1) * sizeof *in->begins) == 0 &&
           (links == 0 || memcmp(in->ends, out->ends, (size_t)links * sizeof *in->ends) == 0);
}

/* Links with directions are out each for itself. */
bool topology_is_two_way(const struct topology *t)
{
    bool is_so = !(t->is_directed && topology_has_outages(t));

    for (int i = 0; i < t->stage_count && is_so && t->is_directed; i++)
        is_so = stage_is_two_way(&t->stages[i]);
    return is_so;
}

bool topology_loses_one_way(const struct topology *t)
{
    return !t->is_directed && t->options.drop_links > 0 &&
           t->options.drop_direction == DROP_ONE_WAY;
}

struct topology_facts topology_facts(const struct topology *t)
{
    return (struct topology_facts){
        .nodes = t->nodes,
        .degree_max = t->degree_max,
        .changes = topology_changes(t),
        .is_two_way = topology_is_two_way(t),
        .is_doubly_stochastic = topology_is_doubly_stochastic(t),
        .loses_one_way = topology_loses_one_way(t),
        .moves = topology_moves(t),
    };
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;

    while (y != 0) {
        const int64_t rest = x % y;

        x = y;
        y = rest;
    }
    return a / x * b;
}

int64_t topology_period(const struct topology *t)
{
    if (topology_moves(t))
        return t->steps * t->step_rounds;

    int64_t period = t->turn_count <= 1 ? 1 : t->options.switch_every * t->turn_count;

    for (int i = 0; i < t->turn_count; i++)
        period = common_multiple(period, t->turns[i].count);
    return period;
}

const struct graph *topology_whole_graph(const struct topology *t, int64_t round)
{
    return &stage_of(t, round)->graph;
}

const struct graph *topology_graph(const struct topology *t, int64_t round)
{
    const struct graph *base = &stage_of(t, round)->graph;
    struct arcs arcs = {0};

    if (!topology_has_outages(t))
        return base;
    for (int i = 0; i < t->nodes; i++) {
        for (int64_t k = base->out.begins[i]; k < base->out.begins[i + 1]; k++) {
            if (!outages_hit(&t->outages, round, i, base->out.ends[k]))
                arcs_add(&arcs, i, base->out.ends[k]);
        }
    }
    graph_release(t->outage_graph);
    graph_init(t->outage_graph, t->nodes, t->is_directed || topology_loses_one_way(t), &arcs);
    arcs_release(&arcs);
    if (base->positions != NULL) {
        t->outage_graph->positions = MEM_NEW_N(struct position, t->nodes);
        memcpy(t->outage_graph->positions, base->positions,
               (size_t)t->nodes * sizeof *base->positions);
    }
    return t->outage_graph;
}

void topology_matrix(const struct topology *t, int64_t round, double *w)
{
    const int64_t nodes = t->nodes;

    memset(w, 0, (size_t)(nodes * nodes) * sizeof *w);
    for (int i = 0; i < nodes; i++) {
        struct neighbourhood n;

        topology_neighbourhood(t, round, i, &n);
        w[i * nodes + i] = n.self;
        for (int k = 0; k < n.in_count; k++)
            w[i * nodes + n.in[k]] = n.weights[k];
    }
}

static double gap_of(const struct topology *t, const double *w)
{
    const bool is_symmetric = !t->is_directed && !topology_loses_one_way(t);

    return is_symmetric ? spectrum_gap(w, t->nodes) : spectrum_gap_directed(w, t->nodes);
}

double topology_spectral_gap(const struct topology *t)
{
    double *w = MEM_NEW_N(double, (int64_t)t->nodes * t->nodes);

    weights_matrix(&t->stages[0].weights, &t->stages[0].graph, w);
    const double gap = gap_of(t, w);
    mem_free(w);
    return gap;
}

double topology_spectral_gap_of(const struct topology *t, int64_t round)
{
    double *w = MEM_NEW_N(double, (int64_t)t->nodes * t->nodes);

    topology_matrix(t, round, w);
    const double gap = gap_of(t, w);
    mem_free(w);
    return gap;
}
