/*
 * links.c - graph.json of a run directory: the links between nodes, and what each carried.
 */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "comm/topology.h"
#include "train/loop_parts.h"

static void write_sent(struct json *j, const int64_t *sent, int64_t nodes)
{
    json_open_list(j, "sent");
    for (int64_t i = 0; i < nodes * nodes; i++) {
        if (sent[i] == 0)
            continue;
        json_open_map(j, NULL);
        json_int(j, "from", i / nodes);
        json_int(j, "to", i % nodes);
        json_int(j, "bytes", sent[i]);
        json_close_map(j);
    }
    json_close_list(j);
}

/* A node alone has no topology, and no links whatever the graph. */
static void write_graph(struct json *j, const struct topology *t)
{
    const struct graph *g = t == NULL ? NULL : topology_graph(t, 0);

    json_int(j, "nodes", g == NULL ? 1 : g->nodes);
    json_bool(j, "directed", g != NULL && g->is_directed);
    json_bool(j, "changes", t != NULL && topology_changes(t));
    if (g != NULL) {
        graph_edges_json(g, j, "edges");
        return;
    }
    json_open_list(j, "edges");
    json_close_list(j);
}

/* sent[nodes][nodes], or NULL: not known yet. */
static enum status write_links(const struct loop *l, const int64_t *sent)
{
    char *path = file_join(l->files->run_dir, "graph.json");
    struct text content = {0};
    struct json j;

    json_init(&j, &content);
    json_open_map(&j, NULL);
    json_text(&j, "name", l->build->experiment->graph.type.entry->name);
    write_graph(&j, l->build->topology);
    if (sent != NULL)
        write_sent(&j, sent, l->build->workers);
    json_close_map(&j);
    text_add(&content, "\n");
    const enum status s = file_write_text(path, text_get(&content));
    text_release(&content);
    mem_free(path);
    return s;
}

enum status links_begin(const struct loop *l)
{
    return !l->build->algo->needs_graph || l->files->from != NULL ? STATUS_OK
                                                                  : write_links(l, NULL);
}

/* Only the leader, worker 0, has the table of all pairs: one for each would be too much. */
static enum status take_rows(struct loop *l, int64_t *sent, int64_t nodes)
{
    const size_t bytes = (size_t)nodes * sizeof *sent;
    struct envelope e;

    memcpy(sent, l->actor->sent, bytes);
    for (int from = 1; from < nodes; from++)
        TRY(transport_recv(l->worker->transport, from, LOOP_LINKS, &e, sent + from * nodes, bytes));
    return STATUS_OK;
}

enum status links_end(struct loop *l)
{
    const int64_t nodes = l->build->workers;

    if (l->actor->sent == NULL)
        return STATUS_OK;

    if (!l->is_lead)
        return transport_send(l->worker->transport, 0, LOOP_LINKS, l->actor->sent,
                              (size_t)nodes * sizeof *l->actor->sent);

    int64_t *sent = MEM_NEW_N(int64_t, nodes * nodes);
    enum status s = take_rows(l, sent, nodes);

    if (s == STATUS_OK)
        s = write_links(l, sent);
    mem_free(sent);
    return s;
}
