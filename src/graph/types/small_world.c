/*
 * small_world.c - a ring in which each node has its k nearest neighbours, and each link's far end
 * is moved to a random node with probability beta.
 *
 * Watts, Strogatz: "Collective dynamics of 'small-world' networks", 1998. Redrawn until connected.
 */
#include "base/mem.h"
#include "graph/list.h"

struct small_world_opts {
    int64_t k, gen_attempts;
    double beta;
};

static const struct field small_world_fields[] = {
    FIELD_INT(struct small_world_opts, k, 4, 2, GRAPH_NODES_MAX,
              "neighbours in the ring, an even number"),
    FIELD_REAL(struct small_world_opts, beta, 0.2, 0, 1, "probability that a link is moved"),
    FIELD_INT(struct small_world_opts, gen_attempts, 100, 1, 1e6,
              "draws until the graph is connected"),
    FIELD_LAST,
};

/* linked[nodes][nodes], both ways round. */
static void set_link(bool *linked, int nodes, int i, int j, bool value)
{
    linked[(int64_t)i * nodes + j] = linked[(int64_t)j * nodes + i] = value;
}

/* A node that i is not linked to yet; -1 when it is linked to all. */
static int new_end(const bool *linked, int nodes, int i, int64_t choice_of)
{
    int64_t free_count = 0;

    for (int j = 0; j < nodes; j++)
        free_count += j != i && !linked[(int64_t)i * nodes + j];
    if (free_count == 0)
        return -1;
    int64_t skip = choice_of % free_count;
    for (int j = 0; j < nodes; j++) {
        if (j != i && !linked[(int64_t)i * nodes + j] && skip-- == 0)
            return j;
    }
    return -1;
}

/* The link from i to the node `step` further on. */
static void rewire(const struct small_world_opts *opts, const struct graph_request *q,
                   const struct rng *r, bool *linked, struct arc link)
{
    const uint64_t key = graph_key(q, link.from, link.to);

    if (!(rng_uniform(r, key, 0) < opts->beta))
        return;
    const int end = new_end(linked, q->nodes, link.from, rng_below(r, key, 1, (int64_t)1 << 40));
    if (end < 0)
        return;
    set_link(linked, q->nodes, link.from, link.to, false);
    set_link(linked, q->nodes, link.from, end, true);
}

static void small_world_draw(const void *options, const struct graph_request *q,
                             const struct rng *r, struct graph *g)
{
    const struct small_world_opts *opts = options;
    const int nodes = q->nodes, reach = (int)opts->k / 2;
    bool *linked = MEM_NEW_N(bool, (int64_t)nodes *nodes);
    struct arcs arcs = {0};

    for (int step = 1; step <= reach && nodes > 1; step++) {
        for (int i = 0; i < nodes; i++)
            set_link(linked, nodes, i, (i + step) % nodes, true);
    }
    for (int step = 1; step <= reach && nodes > 1; step++) {
        for (int i = 0; i < nodes; i++)
            rewire(opts, q, r, linked, (struct arc){.from = i, .to = (i + step) % nodes});
    }
    for (int i = 0; i < nodes; i++) {
        for (int j = i + 1; j < nodes; j++) {
            if (linked[(int64_t)i * nodes + j])
                arcs_add(&arcs, i, j);
        }
    }
    graph_take(g, q, false, &arcs);
    mem_free(linked);
}

static enum status small_world_make(const void *options, const struct graph_request *q,
                                    struct graph *g)
{
    const struct small_world_opts *opts = options;

    if (opts->k % 2 != 0)
        return FAIL(STATUS_BAD_INPUT, "graph.k: %lld is odd; it must be even, such as %lld or %lld",
                    (long long)opts->k, (long long)opts->k - 1, (long long)opts->k + 1);
    if (opts->k >= q->nodes && q->nodes > 1)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.k: %lld neighbours need at least %lld nodes, not %d; use a smaller k or "
                    "more nodes",
                    (long long)opts->k, (long long)opts->k + 1, q->nodes);
    if (graph_draw_connected(small_world_draw, opts, q, opts->gen_attempts, g))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "graph.beta: %g connects no small_world graph of %d nodes with k = %lld in %lld "
                "attempts (gen_attempts); a smaller beta or a larger k does",
                opts->beta, q->nodes, (long long)opts->k, (long long)opts->gen_attempts);
}

const struct graph_ops small_world_graph = {
    .entry =
        {
                .name = "small_world",
                .summary = "a ring of k neighbours, each link moved with probability beta",
                .fields = small_world_fields,
                .options_size = sizeof(struct small_world_opts),
                },
    .make = small_world_make,
};
