/*
 * graph_show.c - a graph's measures as a table and as JSON, for `muster graph`.
 */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/graph.h"
#include "graph/weights_fastest.h"

static int count_parts(const struct graph *g)
{
    int *labels = MEM_NEW_N(int, g->nodes);
    const int parts = graph_components(g, labels);

    mem_free(labels);
    return parts;
}

static double mean_degree(const struct graph *g)
{
    return (double)g->out.begins[g->nodes] / g->nodes;
}

/* --- as text --- */

static void add_heading(struct text *out, const struct graph_view *v)
{
    const struct entry *e = v->choice->type.entry;

    text_addf(out, "%s: %s\n", e->name, e->summary);
    if (topology_changes(v->topology)) {
        const int64_t period = topology_period(v->topology);

        text_addf(out, "round %" PRId64, v->round);
        if (period > 1)
            text_addf(out, " of graphs that begin again after %" PRId64 " rounds", period);
        text_add(out, "\n");
    }
    text_add(out, "\n");
}

static void add_measures(struct text *out, const struct graph_view *v)
{
    const struct graph *g = v->graph;
    const int diameter = graph_diameter(g), parts = count_parts(g);

    text_addf(out, "nodes          %d\n", g->nodes);
    text_addf(out, "%s          %" PRId64 "\n", g->is_directed ? "links" : "edges",
              graph_edge_count(g));
    text_addf(out, "%s     %" PRId64 " to %" PRId64 ", mean %.4g\n",
              g->is_directed ? "out-degree" : "degree    ", v->degree_min, v->degree_max,
              mean_degree(g));
    if (diameter >= 0)
        text_addf(out, "connected      yes\ndiameter       %d\n", diameter);
    else if (parts > 1)
        text_addf(out, "connected      no: %d components\ndiameter       -\n", parts);
    else
        text_add(out, "connected      no: not strongly connected\ndiameter       -\n");
    if (!isnan(v->fiedler))
        text_addf(out, "Fiedler value  %.6f\n", v->fiedler);
}

static void add_gaps(struct text *out, const struct graph_view *v)
{
    const bool is_directed = topology_is_directed(v->topology);

    text_add(out, "\nweights        spectral gap\n");
    if (is_directed)
        text_addf(out, "%-14s %.6f\n", "shares", v->gaps[v->choice->options.weights]);
    for (int rule = 0; rule < WEIGHTS_RULES && !is_directed; rule++) {
        const char *mark = rule == v->choice->options.weights ? "  chosen" : "";

        if (isnan(v->gaps[rule]) && v->graph->nodes > WEIGHTS_FASTEST_NODES_MAX)
            text_addf(out, "%-14s -         for up to %d nodes\n", weight_rule_names[rule],
                      WEIGHTS_FASTEST_NODES_MAX);
        else if (isnan(v->gaps[rule]))
            text_addf(out, "%-14s -         slow for this size; --weights %s computes it\n",
                      weight_rule_names[rule], weight_rule_names[rule]);
        else
            text_addf(out, "%-14s %.6f%s\n", weight_rule_names[rule], v->gaps[rule], mark);
    }
    if (!isnan(v->period_gap))
        text_addf(out, "%-14s %.6f  a round, by the product of %" PRId64 "\n", "a period",
                  v->period_gap, topology_period(v->topology));
}

void graph_table(struct text *out, const struct graph_view *v)
{
    add_heading(out, v);
    add_measures(out, v);
    add_gaps(out, v);
}

/* --- as JSON --- */

static void json_measures(struct json *j, const struct graph_view *v)
{
    const struct graph *g = v->graph;
    const int diameter = graph_diameter(g);

    json_int(j, "nodes", g->nodes);
    json_bool(j, "directed", g->is_directed);
    json_int(j, "edges", graph_edge_count(g));
    json_open_map(j, "degree");
    json_int(j, "min", v->degree_min);
    json_number(j, "mean", mean_degree(g));
    json_int(j, "max", v->degree_max);
    json_close_map(j);
    json_bool(j, "connected", diameter >= 0);
    json_int(j, "parts", count_parts(g));
    if (diameter >= 0)
        json_int(j, "diameter", diameter);
    else
        json_text(j, "diameter", NULL);
    json_number(j, "fiedler", v->fiedler);
}

static void json_gaps(struct json *j, const struct graph_view *v)
{
    const int chosen = v->choice->options.weights;

    json_text(j, "weights",
              topology_is_directed(v->topology) ? "shares" : weight_rule_names[chosen]);
    json_open_map(j, "spectral_gap");
    if (topology_is_directed(v->topology))
        json_number(j, "shares", v->gaps[chosen]);
    for (int rule = 0; rule < WEIGHTS_RULES && !topology_is_directed(v->topology); rule++)
        json_number(j, weight_rule_names[rule], v->gaps[rule]);
    json_close_map(j);
    json_number(j, "period_spectral_gap", v->period_gap);
}

void graph_json(struct text *out, const struct graph_view *v)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_text(&j, "graph", v->choice->type.entry->name);
    json_int(&j, "seed", (int64_t)v->seed);
    json_int(&j, "round", v->round);
    json_bool(&j, "changes", topology_changes(v->topology));
    json_int(&j, "period", topology_period(v->topology));
    json_measures(&j, v);
    json_gaps(&j, v);
    graph_edges_json(v->graph, &j, "links");
    json_close_map(&j);
    text_add(out, "\n");
}
