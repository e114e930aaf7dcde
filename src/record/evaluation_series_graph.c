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
    return g->count > 0 && g->items[0].positions != NULL;
}

static void add_places(struct evaluation_series *r, const struct graph_rows *g)
{
    const int64_t n = r->nodes;
    const double *rounds = r->series[0].values;
    const struct named_series *positions =
        evaluation_series_add(r, &(struct named_series){
                                     .name = "current_position", .rank = 2, .dims = {n, 2}
    });
    const struct named_series *links =
        evaluation_series_add(r, &(struct named_series){
                                     .name = "current_graph",
                                     .is_count = true,
                                     .rank = 2,
                                     .is_symmetric = !g->items[0].is_directed,
                                     .dims = {n, n}
    });

    for (int64_t e = 0; e < r->evaluations; e++) {
        const struct graph_row *at = graph_rows_at(g, (int64_t)rounds[e]);

        put_positions(at, positions->values + e * positions->size);
        put_links(at, links->values + e * links->size);
    }
}

enum status evaluation_series_add_places(struct evaluation_series *r, const char *run_dir)
{
    struct graph_rows graphs;
    const enum status s = graph_rows_read(run_dir, &graphs);

    if (s == STATUS_OK && fits(&graphs, r->nodes))
        add_places(r, &graphs);
    graph_rows_release(&graphs);
    return s;
}
