/*
 * graph_rows.h - graph.jsonl of a run directory: the links between nodes, a row per graph that was
 * noted, the first at the start of the run.
 *
 *     {"round": 0, "name": "ring", "nodes": 4, "directed": false, "changes": false,
 *      "edges": [[0, 1], [0, 3], [1, 2], [2, 3]], "positions": [[0.1, 0.9], ...]}
 *
 * Not here: what each link carried (workers.h).
 */
#ifndef RECORD_GRAPH_ROWS_H
#define RECORD_GRAPH_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct graph_row {
    int64_t round;
    char name[64]; /* the type of the graph */
    int64_t nodes;
    bool is_directed; /* edges go from the first to the second; else each stands once */
    bool changes;     /* other rounds have other links */
    int64_t edge_count;
    int64_t *edges;    /* [edge_count][2] */
    double *positions; /* [nodes][2], or NULL: the graph has none */
};

/* Starts the file with the graph of the first round, and adds that of a later one. */
enum status graph_rows_start(const char *run_dir, const struct graph_row *row);
enum status graph_rows_add(const char *run_dir, const struct graph_row *row);

/* Drops rows after this round, which a resumed run writes again; fine without a file. */
enum status graph_rows_truncate(const char *run_dir, int64_t keep_round);

struct graph_rows {
    struct graph_row *items;
    int64_t count;
};

/*
 * Also from graph.json of earlier versions, which has one graph. A missing file is no graph; a last
 * row that was cut off is left out. Also after an error it has the rows that read.
 */
enum status graph_rows_read(const char *run_dir, struct graph_rows *g);
void graph_rows_release(struct graph_rows *g);

/* The graph that holds when a round begins: the last row that is not of a later one. There must be
 * a row. */
const struct graph_row *graph_rows_at(const struct graph_rows *g, int64_t round);

#endif
