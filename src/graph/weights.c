/*
 * weights.c - the rules for mixing weights, and how they are rounded.
 */
#include "graph/weights.h"

#include <math.h>

#include "base/check.h"
#include "base/mem.h"
#include "graph/spectrum.h"
#include "graph/weights_fastest.h"

const char *const weight_rule_names[WEIGHTS_RULES + 1] = {"metropolis", "uniform", "laplacian",
                                                          "fastest", NULL};

enum { FLOAT_BITS = 24, GRID_BITS_MAX = 44 };

/* --- rounding --- */

/* The power of 1/2 of which a number of this size can have FLOAT_BITS bits and no more. */
static double grid_for(double largest)
{
    double grid = 1.0 / (1 << FLOAT_BITS);

    for (int bits = FLOAT_BITS; bits < GRID_BITS_MAX && largest <= 0.5; bits++) {
        grid /= 2;
        largest *= 2;
    }
    return grid;
}

/* Downwards, so that what is left for the node itself does not fall below 0. */
static double to_grid(double x, double grid)
{
    return floor(x / grid) * grid;
}

double weights_share(int64_t receivers)
{
    const double share = 1 / (1 + (double)receivers);

    return receivers == 0 ? 1 : to_grid(share, grid_for(1.0000001 * share));
}

/* 1 minus the node's weights: exact, as all are multiples of one power of 1/2. */
static double rest_of(const struct weights *w, const struct graph *g, int node)
{
    double rest = 1;

    for (int64_t k = g->in.begins[node]; k < g->in.begins[node + 1]; k++)
        rest -= w->in[k];
    return rest;
}

/* The largest number that must be a float, with some room for what rounding adds. */
static double largest_of(const struct weights *w, const struct graph *g)
{
    double largest = 0;

    for (int i = 0; i < g->nodes; i++) {
        if (graph_in_degree(g, i) > 0)
            largest = fmax(largest, fabs(rest_of(w, g, i)));
    }
    for (int64_t k = 0; k < g->in.begins[g->nodes]; k++)
        largest = fmax(largest, fabs(w->in[k]));
    return fmin(1.0001 * largest, 1);
}

static void round_weights(struct weights *w, const struct graph *g, enum weights_grid wanted)
{
    const double grid = grid_for(wanted == WEIGHTS_COARSE ? 1 : largest_of(w, g));

    for (int64_t k = 0; k < g->in.begins[g->nodes]; k++)
        w->in[k] = to_grid(w->in[k], grid);
    for (int i = 0; i < g->nodes; i++)
        w->self[i] = rest_of(w, g, i);
}

/* --- the rules --- */

static double highest_degree(const struct graph *g)
{
    int64_t highest = 0;

    for (int i = 0; i < g->nodes; i++)
        highest = graph_in_degree(g, i) > highest ? graph_in_degree(g, i) : highest;
    return (double)highest;
}

static void all_alike(struct weights *w, const struct graph *g, double weight)
{
    for (int64_t k = 0; k < g->in.begins[g->nodes]; k++)
        w->in[k] = weight;
}

static void metropolis(struct weights *w, const struct graph *g)
{
    for (int i = 0; i < g->nodes; i++) {
        for (int64_t k = g->in.begins[i]; k < g->in.begins[i + 1]; k++)
            w->in[k] = 1 / (1 + fmax((double)graph_in_degree(g, i),
                                     (double)graph_in_degree(g, g->in.ends[k])));
    }
}

/* Of a graph in several parts: the best for the slowest of them, by the least lambda above 0. */
static void laplacian(struct weights *w, const struct graph *g)
{
    const int64_t n = g->nodes;
    double *l = MEM_NEW_N(double, n *n), *values = MEM_NEW_N(double, n);
    int *labels = MEM_NEW_N(int, n);
    const int parts = graph_components(g, labels);

    spectrum_laplacian(g, l);
    spectrum_eigen(l, g->nodes, values, SPECTRUM_VALUES);
    if (parts < n)
        all_alike(w, g, 2 / (values[parts] + values[n - 1]));
    mem_free(labels);
    mem_free(values);
    mem_free(l);
}

/* --- fastest, part by part --- */

/* Memory for one part of a graph: its edges, and where their weights belong. */
struct component_buffers {
    int *labels, *numbers; /* [nodes] the part of a node, and its number there */
    struct arc *edges;     /* [edges] */
    double *weights;       /* [edges] */
    int64_t *places;       /* [edges] in weights.in, from the lower node's list */
};

/* Collects the part `label`, with the weights that stand there. */
static struct weights_component collect_component(const struct weights *w, const struct graph *g,
                                                  struct component_buffers *buffers, int label)
{
    struct weights_component part = {.edges = buffers->edges};

    for (int i = 0; i < g->nodes; i++) {
        if (buffers->labels[i] == label)
            buffers->numbers[i] = part.nodes++;
    }
    for (int i = 0; i < g->nodes; i++) {
        for (int64_t k = g->in.begins[i]; k < g->in.begins[i + 1]; k++) {
            const int j = g->in.ends[k];

            if (buffers->labels[i] != label || j < i)
                continue;
            buffers->edges[part.count] = (struct arc){buffers->numbers[i], buffers->numbers[j]};
            buffers->weights[part.count] = w->in[k];
            buffers->places[part.count++] = k;
        }
    }
    return part;
}

/* The place of node i in the list of node j. */
static int64_t place_in(const struct graph *g, int j, int i)
{
    int64_t k = g->in.begins[j];

    while (g->in.ends[k] != i)
        k++;
    return k;
}

/* The lower node's lists have the weights: the others get the same. */
static void mirror(struct weights *w, const struct graph *g)
{
    for (int i = 0; i < g->nodes; i++) {
        for (int64_t k = g->in.begins[i]; k < g->in.begins[i + 1]; k++) {
            if (g->in.ends[k] > i)
                w->in[place_in(g, g->in.ends[k], i)] = w->in[k];
        }
    }
}

static enum status fastest(struct weights *w, const struct graph *g)
{
    const int64_t edges = graph_edge_count(g);

    if (g->nodes > WEIGHTS_FASTEST_NODES_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.weights: fastest works for up to %d nodes, not %d; use metropolis, "
                    "uniform or laplacian",
                    WEIGHTS_FASTEST_NODES_MAX, g->nodes);
    struct component_buffers buffers = {
        .labels = MEM_NEW_N(int, g->nodes),
        .numbers = MEM_NEW_N(int, g->nodes),
        .edges = MEM_NEW_N(struct arc, edges),
        .weights = MEM_NEW_N(double, edges),
        .places = MEM_NEW_N(int64_t, edges),
    };
    const int parts = graph_components(g, buffers.labels);

    metropolis(w, g);
    for (int label = 0; label < parts; label++) {
        const struct weights_component part = collect_component(w, g, &buffers, label);

        weights_fastest_search(&part, buffers.weights);
        for (int64_t l = 0; l < part.count; l++)
            w->in[buffers.places[l]] = buffers.weights[l];
    }
    mirror(w, g);
    mem_free(buffers.labels);
    mem_free(buffers.numbers);
    mem_free(buffers.edges);
    mem_free(buffers.weights);
    mem_free(buffers.places);
    return STATUS_OK;
}

/* --- making them --- */

static enum status directed_weights(struct weights *w, const struct graph *g, enum weight_rule rule)
{
    if (rule == WEIGHTS_LAPLACIAN || rule == WEIGHTS_FASTEST)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.weights: %s needs an undirected graph; in a directed one every node "
                    "gives equal shares to all neighbours",
                    weight_rule_names[rule]);
    for (int i = 0; i < g->nodes; i++) {
        w->self[i] = 1 - (double)graph_out_degree(g, i) * w->push[i];
        for (int64_t k = g->in.begins[i]; k < g->in.begins[i + 1]; k++)
            w->in[k] = w->push[g->in.ends[k]];
    }
    return STATUS_OK;
}

static enum status by_rule(struct weights *w, const struct graph *g, enum weight_rule rule)
{
    switch (rule) {
    case WEIGHTS_METROPOLIS:
        metropolis(w, g);
        return STATUS_OK;
    case WEIGHTS_UNIFORM:
        all_alike(w, g, 1 / (1 + highest_degree(g)));
        return STATUS_OK;
    case WEIGHTS_LAPLACIAN:
        laplacian(w, g);
        return STATUS_OK;
    case WEIGHTS_FASTEST:
        return fastest(w, g);
    case WEIGHTS_RULES:
        break;
    }
    BUG("weight rule out of range");
}

enum status weights_init(struct weights *w, const struct graph *g, enum weight_rule rule,
                         enum weights_grid grid)
{
    *w = (struct weights){
        .in = MEM_NEW_N(double, g->in.begins[g->nodes]),
        .self = MEM_NEW_N(double, g->nodes),
        .push = MEM_NEW_N(double, g->nodes),
    };
    for (int i = 0; i < g->nodes; i++)
        w->push[i] = weights_share(graph_out_degree(g, i));
    const enum status s = g->is_directed ? directed_weights(w, g, rule) : by_rule(w, g, rule);
    if (s != STATUS_OK)
        weights_release(w);
    else if (!g->is_directed)
        round_weights(w, g, grid);
    return s;
}

void weights_release(struct weights *w)
{
    mem_free(w->in);
    mem_free(w->self);
    mem_free(w->push);
    *w = (struct weights){0};
}

void weights_matrix(const struct weights *w, const struct graph *g, double *matrix)
{
    const int64_t n = g->nodes;

    for (int64_t k = 0; k < n * n; k++)
        matrix[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        matrix[i * n + i] = w->self[i];
        for (int64_t k = g->in.begins[i]; k < g->in.begins[i + 1]; k++)
            matrix[i * n + g->in.ends[k]] = w->in[k];
    }
}
