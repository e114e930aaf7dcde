/*
 * run_files.c - files of the run directory about the run as a whole: its graph at the start; its
 * workers, the bytes of each link and its confusion matrix at every evaluation and at the end,
 * however that comes.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "graph/topology.h"
#include "record/confusion.h"
#include "record/graph_rows.h"
#include "train/loop/loop.h"
#include "train/workers_json.h"

static void copy_edges(const struct graph *g, struct graph_row *row)
{
    row->edges = MEM_NEW_N(int64_t, 2 * graph_edge_count(g));
    for (int i = 0; i < g->nodes; i++)
        for (int64_t k = g->out.begins[i]; k < g->out.begins[i + 1]; k++) {
            if (!g->is_directed && g->out.ends[k] < i)
                continue;
            row->edges[2 * row->edge_count] = i;
            row->edges[2 * row->edge_count + 1] = g->out.ends[k];
            row->edge_count++;
        }
}

static void copy_positions(const struct graph *g, struct graph_row *row)
{
    if (g->positions == NULL)
        return;
    row->positions = MEM_NEW_N(double, 2 * (int64_t)g->nodes);
    for (int64_t i = 0; i < g->nodes; i++) {
        row->positions[2 * i] = g->positions[i].x;
        row->positions[2 * i + 1] = g->positions[i].y;
    }
}

/* The graph of a round: of nodes that move, all in range, whatever gets lost. */
static const struct graph *graph_of(const struct topology *t, int64_t round)
{
    return topology_moves(t) ? topology_whole_graph(t, round) : topology_graph(t, round);
}

static enum status write_graph(const struct loop *l, int64_t round,
                               enum status (*write)(const char *run_dir, const struct graph_row *r))
{
    const struct topology *t = l->build->topology;
    const struct graph *g = t == NULL ? NULL : graph_of(t, round);
    struct graph_row row = {
        .round = round,
        .nodes = g == NULL ? 1 : g->nodes, /* a node alone has no topology, and no links */
        .is_directed = g != NULL && g->is_directed,
        .changes = t != NULL && topology_changes(t),
    };

    (void)snprintf(row.name, sizeof row.name, "%s", l->build->config->graph.type.entry->name);
    if (g != NULL) {
        copy_edges(g, &row);
        copy_positions(g, &row);
    }
    const enum status s = write(l->setup->run_dir, &row);
    mem_free(row.edges);
    mem_free(row.positions);
    return s;
}

enum status run_files_graph(const struct loop *l)
{
    if (!l->build->algo->needs_graph)
        return STATUS_OK;
    if (l->setup->from == NULL)
        return write_graph(l, 0, graph_rows_start);
    if (l->build->topology == NULL || !topology_moves(l->build->topology))
        return STATUS_OK;
    return graph_rows_truncate(l->setup->run_dir, l->round > 0 ? l->round - 1 : 0);
}

enum status run_files_moves(const struct loop *l)
{
    const struct topology *t = l->build->topology;

    if (l->leader == NULL || t == NULL || !topology_moves_in(t, l->round))
        return STATUS_OK;
    return write_graph(l, l->round, graph_rows_add);
}

/* Only the leader, worker 0, has the table of all pairs: one for each would be too much. */
static enum status gather_rows(struct loop *l, int64_t *sent, int64_t nodes)
{
    const size_t bytes = (size_t)nodes * sizeof *sent;
    struct envelope e;

    memcpy(sent, l->memory->sent, bytes);
    for (int from = 1; from < nodes; from++)
        TRY(transport_recv(l->worker->transport, from, CONTROL_LINK_BYTES, &e, sent + from * nodes,
                           bytes));
    return STATUS_OK;
}

enum status run_files_gather_links(struct loop *l)
{
    const int64_t nodes = l->build->workers;

    if (l->memory->sent == NULL)
        return STATUS_OK;

    if (l->leader == NULL)
        return transport_send(l->worker->transport, 0, CONTROL_LINK_BYTES, l->memory->sent,
                              (size_t)nodes * sizeof *l->memory->sent);

    if (l->leader->report->link_bytes == NULL)
        l->leader->report->link_bytes = MEM_NEW_N(int64_t, nodes * nodes);
    return gather_rows(l, l->leader->report->link_bytes, nodes);
}

/* --- workers --- */

void run_files_update_workers(const struct loop *l)
{
    for (int w = 0; w < l->build->workers; w++) {
        struct worker_report *report = &l->leader->report->per_worker[w];

        report->counters = l->leader->worker_counters[w];
        if (l->memory->clients != NULL)
            report->client = l->memory->clients[w];
    }
}

/* The workers' own models before the last average cannot be evaluated again after a run has
 * ended. */
enum status run_files_workers(const struct loop *l)
{
    if (l->build->workers == 1)
        return STATUS_OK;
    if (l->was_finished && !l->is_before_record &&
        file_exists_in(l->setup->run_dir, "workers.json"))
        return STATUS_OK;
    run_files_update_workers(l);
    return workers_json_write(l->leader->report, l->setup->run_dir);
}

/* --- the confusion matrix --- */

enum status run_files_confusion(const struct loop *l, int64_t round, enum problem_part part,
                                int64_t *matrix)
{
    const struct problem_plan *p = l->build->plan;
    struct confusion c = {
        .round = round,
        .classes = p->classes,
        .class_names = p->class_names,
        .matrix = matrix,
    };

    (void)snprintf(c.part, sizeof c.part, "%s", problem_part_name(part));
    return confusion_write(l->setup->run_dir, &c);
}
