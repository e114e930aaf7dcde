/*
 * graph_rows.c - writes and reads graph.jsonl.
 */
#include "record/graph_rows.h"

#include <jansson.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "record/json_read.h"
#include "record/json_write.h"
#include "record/metrics_reader.h"

/* --- writing --- */

static void write_positions(struct json *j, const struct graph_row *row)
{
    json_open_list(j, "positions");
    for (int64_t i = 0; i < row->nodes; i++) {
        json_open_list(j, NULL);
        json_number(j, NULL, row->positions[2 * i]);
        json_number(j, NULL, row->positions[2 * i + 1]);
        json_close_list(j);
    }
    json_close_list(j);
}

static void write_row(const struct graph_row *row, struct text *out)
{
    struct json j;

    json_init(&j, out);
    json_open_map(&j, NULL);
    json_int(&j, "round", row->round);
    json_text(&j, "name", row->name);
    json_int(&j, "nodes", row->nodes);
    json_bool(&j, "directed", row->is_directed);
    json_bool(&j, "changes", row->changes);
    json_write_matrix(&j, "edges", row->edges, row->edge_count, 2);
    if (row->positions != NULL)
        write_positions(&j, row);
    json_close_map(&j);
}

enum status graph_rows_start(const char *run_dir, const struct graph_row *row)
{
    struct text content = {0};

    write_row(row, &content);
    return json_write_file(run_dir, "graph.jsonl", &content);
}

enum status graph_rows_add(const char *run_dir, const struct graph_row *row)
{
    struct text line = {0};

    write_row(row, &line);
    const enum status s = json_write_line(run_dir, "graph.jsonl", &line);
    text_release(&line);
    return s;
}

enum status graph_rows_truncate(const char *run_dir, int64_t keep_round)
{
    return metrics_reader_truncate_in(run_dir, "graph.jsonl", keep_round);
}

/* --- reading --- */

static bool read_edges(const json_t *list, struct graph_row *row)
{
    row->edge_count = (int64_t)json_array_size(list);
    row->edges = MEM_NEW_N(int64_t, 2 * row->edge_count);
    for (int64_t i = 0; i < row->edge_count; i++) {
        int64_t *edge = row->edges + 2 * i;

        if (!json_read_ints(json_array_get(list, (size_t)i), 2, edge) || edge[0] < 0 ||
            edge[0] >= row->nodes || edge[1] < 0 || edge[1] >= row->nodes)
            return false;
    }
    return json_is_array(list);
}

static bool read_positions(const json_t *list, struct graph_row *row)
{
    if (list == NULL)
        return true;
    row->positions = MEM_NEW_N(double, 2 * row->nodes);
    return json_read_points(list, row->nodes, row->positions);
}

static void release_row(struct graph_row *row)
{
    mem_free(row->edges);
    mem_free(row->positions);
    *row = (struct graph_row){0};
}

static bool read_row(void *context, json_t *map)
{
    struct graph_rows *g = context;
    struct graph_row row = {
        .round = json_read_int(map, "round", 0),
        .nodes = json_read_int(map, "nodes", 0),
        .is_directed = json_read_bool(map, "directed"),
        .changes = json_read_bool(map, "changes"),
    };

    json_read_short(map, "name", row.name, sizeof row.name);
    if (row.nodes < 1 || !read_edges(json_object_get(map, "edges"), &row) ||
        !read_positions(json_object_get(map, "positions"), &row)) {
        release_row(&row);
        return false;
    }
    g->items = mem_grow(g->items, g->count + 1, sizeof *g->items);
    g->items[g->count++] = row;
    return true;
}

static enum status read_old(const char *path, struct graph_rows *g)
{
    json_t *root = NULL;
    enum status s = json_read_file(path, &root);

    if (s == STATUS_OK && !read_row(g, root))
        s = FAIL(STATUS_IO, "%s: is not a graph", path);
    json_decref(root);
    return s;
}

enum status graph_rows_read(const char *run_dir, struct graph_rows *g)
{
    char *path = file_join(run_dir, "graph.jsonl"), *old = file_join(run_dir, "graph.json");
    enum status s = STATUS_OK;

    *g = (struct graph_rows){0};
    if (file_exists(path))
        s = json_read_lines(path, &(struct json_taker){.take = read_row,
                                                       .context = g,
                                                       .what = "a graph",
                                                       .care = JSON_LINES_STRICT});
    else if (file_exists(old))
        s = read_old(old, g);
    mem_free(path);
    mem_free(old);
    return s;
}

void graph_rows_release(struct graph_rows *g)
{
    for (int64_t i = 0; i < g->count; i++)
        release_row(&g->items[i]);
    mem_free(g->items);
    *g = (struct graph_rows){0};
}

const struct graph_row *graph_rows_at(const struct graph_rows *g, int64_t round)
{
    const struct graph_row *found = &g->items[0];

    for (int64_t i = 1; i < g->count && g->items[i].round <= round; i++)
        found = &g->items[i];
    return found;
}
