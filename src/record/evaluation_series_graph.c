/*
 * evaluation_series_graph.c - where nodes with positions were at each evaluation, and their links
 * then, from graph.jsonl of a run.
 */
#include "base/mem.h"
#include "record/evaluation_series.h"
#include "record/graph_rows.h"

static void put_positions(const struct graph_row *g, double *values)
{
    for (int64_t i = 0; g->positions != NULL && i < 2 * g->nodes; i++)
        values[i] = g->positions[i];
}

static void put_links(const struct graph_row *g, double *values)
{
    for (int64_t i = 0; i < g->nodes * g->nodes; i++)
        values[i] = 0;
    for (int64_t e = 0; e < g->edge_count; e++) {
        const int64_t from = g->edges[2 * e], to = g->edges[2 * e + 1];

        values[from * g->nodes + to] = 1;
        if (!g->is_directed)
            values[to * g->nodes + from] = 1;
    }
}

static bool fits(const struct graph_rows *g, int64_t nodes)
{
    for (int64_t i = 0; i < g->count; i++)
        if (g->items[i].nodes != nodes)
            return false;
    return g->count > 0;
}

static void add_positions(struct evaluation_series *r, const struct graph_rows *g)
{
    const struct named_series *s = evaluation_series_add(r, &(struct named_series){
                                                                .name = "current_position",
                                                                .rank = 2,
                                                                .dims = {r->nodes, 2},
    });

    for (int64_t e = 0; e < r->evaluations; e++)
        put_positions(graph_rows_at(g, (int64_t)r->series[0].values[e]), s->values + e * s->size);
}

static void add_links(struct evaluation_series *r, const struct graph_rows *g)
{
    const struct named_series *s =
        evaluation_series_add(r, &(struct named_series){
                                     .name = "current_graph",
                                     .is_count = true,
                                     .rank = 2,
                                     .is_symmetric = !g->items[0].is_directed,
                                     .dims = {r->nodes, r->nodes},
    });

    for (int64_t e = 0; e < r->evaluations; e++)
        put_links(graph_rows_at(g, (int64_t)r->series[0].values[e]), s->values + e * s->size);
}

enum status evaluation_series_add_places(struct evaluation_series *r, const char *run_dir,
                                         bool wants_links)
{
    struct graph_rows graphs;
    const enum status s = graph_rows_read(run_dir, &graphs);

    if (s == STATUS_OK && fits(&graphs, r->nodes)) {
        const bool has_positions = graphs.items[0].positions != NULL;

        if (has_positions)
            add_positions(r, &graphs);
        if (has_positions || wants_links)
            add_links(r, &graphs);
    }
    graph_rows_release(&graphs);
    return s;
}
