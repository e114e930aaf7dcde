/*
 * graph.c - graphs as sorted lists of neighbours, what can be asked of them, and the registry of
 * types.
 */
#include "graph/graph.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "graph/list.h"

#define GRAPH_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {GRAPH_LIST(GRAPH_ENTRY) NULL};

const struct registry graph_registry = {
    .what = "graph",
    .section = "graph",
    .entries = entries,
};

/* --- links to lists --- */

void arcs_add(struct arcs *a, int from, int to)
{
    if (a->count == a->capacity) {
        const int64_t more = a->capacity == 0 ? 64 : 2 * a->capacity;

        a->items = mem_resize(a->items, a->capacity, more, sizeof *a->items);
        a->capacity = more;
    }
    a->items[a->count++] = (struct arc){.from = from, .to = to};
}

void arcs_release(struct arcs *a)
{
    mem_free(a->items);
    *a = (struct arcs){0};
}

static int key_of(const struct arc *a, bool by_from)
{
    return by_from ? a->from : a->to;
}

/* A stable counting sort of the links by one of their ends. */
static void sort_arcs(const struct arc *in, struct arc *out, int64_t count, int nodes, bool by_from)
{
    int64_t *places = MEM_NEW_N(int64_t, nodes + 1);

    for (int64_t k = 0; k < count; k++)
        places[key_of(&in[k], by_from) + 1]++;
    for (int i = 0; i < nodes; i++)
        places[i + 1] += places[i];
    for (int64_t k = 0; k < count; k++)
        out[places[key_of(&in[k], by_from)]++] = in[k];
    mem_free(places);
}

static struct adjacency make_lists(const struct arc *arcs, int64_t count, int nodes)
{
    struct arc *by_to = MEM_NEW_N(struct arc, count), *sorted = MEM_NEW_N(struct arc, count);
    struct adjacency lists = {
        .begins = MEM_NEW_N(int64_t, nodes + 1),
        .ends = MEM_NEW_N(int, count),
    };
    int64_t kept = 0;

    sort_arcs(arcs, by_to, count, nodes, false);
    sort_arcs(by_to, sorted, count, nodes, true);
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && sorted[k].from == sorted[k - 1].from && sorted[k].to == sorted[k - 1].to)
            continue;
        lists.ends[kept++] = sorted[k].to;
        lists.begins[sorted[k].from + 1] = kept;
    }
    for (int i = 0; i < nodes; i++) {
        if (lists.begins[i + 1] < lists.begins[i])
            lists.begins[i + 1] = lists.begins[i]; /* a node without links */
    }
    mem_free(by_to);
    mem_free(sorted);
    return lists;
}

static void add_reversed(struct arc *items, const struct arcs *arcs)
{
    for (int64_t k = 0; k < arcs->count; k++)
        items[k] = (struct arc){.from = arcs->items[k].to, .to = arcs->items[k].from};
}

void graph_init(struct graph *g, int nodes, bool is_directed, const struct arcs *arcs)
{
    const int64_t count = arcs->count;
    struct arc *both = MEM_NEW_N(struct arc, 2 * count);

    CHECK(nodes > 0 && nodes <= GRAPH_NODES_MAX);
    for (int64_t k = 0; k < count; k++) {
        const struct arc a = arcs->items[k];

        CHECK(a.from >= 0 && a.from < nodes && a.to >= 0 && a.to < nodes && a.from != a.to);
        both[k] = a;
    }
    add_reversed(both + count, arcs);
    *g = (struct graph){.nodes = nodes, .is_directed = is_directed};
    if (is_directed) {
        g->out = make_lists(both, count, nodes);
        g->in = make_lists(both + count, count, nodes);
    } else {
        g->out = g->in = make_lists(both, 2 * count, nodes);
    }
    mem_free(both);
}

static void lists_release(struct adjacency *a)
{
    mem_free(a->begins);
    mem_free(a->ends);
}

void graph_release(struct graph *g)
{
    lists_release(&g->out);
    if (g->is_directed)
        lists_release(&g->in);
    mem_free(g->positions);
    *g = (struct graph){0};
}

/* --- questions --- */

int64_t graph_edge_count(const struct graph *g)
{
    const int64_t arcs = g->out.begins[g->nodes];

    return g->is_directed ? arcs : arcs / 2;
}

void graph_edges_json(const struct graph *g, struct json *j, const char *key)
{
    json_open_list(j, key);
    for (int i = 0; i < g->nodes; i++)
        for (int64_t k = g->out.begins[i]; k < g->out.begins[i + 1]; k++) {
            if (!g->is_directed && g->out.ends[k] < i)
                continue;
            json_open_list(j, NULL);
            json_int(j, NULL, i);
            json_int(j, NULL, g->out.ends[k]);
            json_close_list(j);
        }
    json_close_list(j);
}

/* How many nodes are reached from `start`; distances[nodes] of those, -1 of the others. */
static int breadth_first(const struct adjacency *lists, int nodes, int start, int *distances,
                         int *queue)
{
    int count = 1;

    for (int i = 0; i < nodes; i++)
        distances[i] = -1;
    distances[start] = 0;
    queue[0] = start;
    for (int head = 0; head < count; head++) {
        const int node = queue[head];

        for (int64_t k = lists->begins[node]; k < lists->begins[node + 1]; k++) {
            const int next = lists->ends[k];

            if (distances[next] >= 0)
                continue;
            distances[next] = distances[node] + 1;
            queue[count++] = next;
        }
    }
    return count;
}

/* The first node that node 0 does not reach along these lists, or -1. */
static int find_unreached(const struct adjacency *lists, int nodes)
{
    int *distances = MEM_NEW_N(int, nodes), *queue = MEM_NEW_N(int, nodes);
    int found = -1;

    if (breadth_first(lists, nodes, 0, distances, queue) < nodes) {
        for (found = 0; distances[found] >= 0;)
            found++;
    }
    mem_free(distances);
    mem_free(queue);
    return found;
}

bool graph_find_gap(const struct graph *g, int *from, int *to)
{
    *from = 0;
    *to = find_unreached(&g->out, g->nodes);
    if (*to < 0 && g->is_directed) {
        *from = find_unreached(&g->in, g->nodes);
        *to = *from < 0 ? -1 : 0;
    }
    return *to < 0;
}

bool graph_is_connected(const struct graph *g)
{
    return graph_find_gap(g, &(int){0}, &(int){0});
}

int graph_diameter(const struct graph *g)
{
    int *distances = MEM_NEW_N(int, g->nodes), *queue = MEM_NEW_N(int, g->nodes);
    int longest = 0;

    for (int i = 0; i < g->nodes && longest >= 0; i++) {
        const int reached = breadth_first(&g->out, g->nodes, i, distances, queue);
        const int farthest = distances[queue[reached - 1]]; /* in order of distance */

        if (reached < g->nodes)
            longest = -1;
        else if (farthest > longest)
            longest = farthest;
    }
    mem_free(distances);
    mem_free(queue);
    return longest;
}

/* Gives all that hangs together with queue[0] its label. */
static void label_component(const struct graph *g, int *labels, int *queue)
{
    const struct adjacency *const ways[] = {&g->out, &g->in};
    int count = 1;

    for (int head = 0; head < count; head++) {
        const int node = queue[head];

        for (int w = 0; w < 2; w++) {
            for (int64_t k = ways[w]->begins[node]; k < ways[w]->begins[node + 1]; k++) {
                const int next = ways[w]->ends[k];

                if (labels[next] >= 0)
                    continue;
                labels[next] = labels[node];
                queue[count++] = next;
            }
        }
    }
}

int graph_components(const struct graph *g, int *labels)
{
    int *queue = MEM_NEW_N(int, g->nodes);
    int count = 0;

    for (int i = 0; i < g->nodes; i++)
        labels[i] = -1;
    for (int i = 0; i < g->nodes; i++) {
        if (labels[i] >= 0)
            continue;
        labels[i] = count++;
        queue[0] = i;
        label_component(g, labels, queue);
    }
    mem_free(queue);
    return count;
}

/* --- the registry --- */

static const struct graph_ops *ops_of(const struct entry *entry)
{
    return (const struct graph_ops *)(const void *)entry; /* its first member */
}

int graph_phases(const struct choice *type, int nodes)
{
    const struct graph_ops *ops = ops_of(type->entry);

    return ops->phases == NULL ? 1 : ops->phases(type->options, nodes);
}

bool graph_takes_positions(const struct choice *type)
{
    return ops_of(type->entry)->takes_positions;
}

bool graph_has_positions(const struct choice *type)
{
    const struct graph_ops *ops = ops_of(type->entry);

    return ops->takes_positions && ops->has_positions(type->options);
}

bool graph_moves_with_data(const struct choice *type)
{
    const struct graph_ops *ops = ops_of(type->entry);

    return ops->takes_positions && ops->moves(type->options);
}

enum status graph_motion_init(const struct choice *type, int nodes, struct graph_motion *m)
{
    const struct graph_ops *ops = ops_of(type->entry);

    *m = (struct graph_motion){0};
    return ops->motion == NULL ? STATUS_OK : ops->motion(type->options, nodes, m);
}

void graph_motion_release(struct graph_motion *m)
{
    mem_free(m->positions);
    mem_free(m->set_of_step);
    *m = (struct graph_motion){0};
}

enum status graph_embed(struct choice *type)
{
    const struct graph_ops *ops = ops_of(type->entry);

    return ops->embed == NULL ? STATUS_OK : ops->embed(type->options);
}

enum status graph_make(const struct choice *type, const struct graph_request *q, struct graph *g)
{
    CHECK(q->nodes > 0 && q->phase >= 0);
    *g = (struct graph){0};
    if (q->nodes > GRAPH_NODES_MAX)
        return FAIL(STATUS_BAD_INPUT, "graph: %d nodes are more than the %d that a graph can have",
                    q->nodes, GRAPH_NODES_MAX);
    return ops_of(type->entry)->make(type->options, q, g);
}

/* --- for the files under types/ --- */

struct rng graph_rng(const struct graph_request *q, int64_t attempt)
{
    return rng_make(q->seed, RNG_GRAPH, (uint32_t)attempt);
}

uint64_t graph_key(const struct graph_request *q, int from, int to)
{
    return (uint64_t)q->draw << 40 | (uint64_t)from << 20 | (uint64_t)to;
}

void graph_take(struct graph *g, const struct graph_request *q, bool is_directed, struct arcs *arcs)
{
    graph_init(g, q->nodes, is_directed, arcs);
    arcs_release(arcs);
}

bool graph_draw_connected(graph_draw *draw, const void *options, const struct graph_request *q,
                          int64_t attempts, struct graph *g)
{
    for (int64_t attempt = 0; attempt < attempts; attempt++) {
        const struct rng r = graph_rng(q, attempt);

        draw(options, q, &r, g);
        if (graph_is_connected(g))
            return true;
        graph_release(g);
    }
    return false;
}
