/*
 * erdos_renyi.c - every pair is linked with probability p, drawn again until the graph is
 * connected.
 */
#include "graph/list.h"

struct erdos_renyi_opts {
    double p;
    int64_t gen_attempts;
};

static const struct field erdos_renyi_fields[] = {
    FIELD_REAL(struct erdos_renyi_opts, p, 0.3, 0, 1, "probability of each link"),
    FIELD_INT(struct erdos_renyi_opts, gen_attempts, 100, 1, 1e6,
              "draws until the graph is connected"),
    FIELD_LAST,
};

static void erdos_renyi_draw(const void *options, const struct graph_request *q,
                             const struct rng *r, struct graph *g)
{
    const struct erdos_renyi_opts *opts = options;
    struct arcs arcs = {0};

    for (int i = 0; i < q->nodes; i++) {
        for (int j = i + 1; j < q->nodes; j++) {
            if (rng_uniform(r, graph_key(q, i, j), 0) < opts->p)
                arcs_add(&arcs, i, j);
        }
    }
    graph_take(g, q, false, &arcs);
}

/* The least p, in steps of 0.01, whose graph is connected more often than not: about
 * 1 - exp(-N (1 - p)^(N - 1)) of the draws leave a node alone. */
static double likely_p(int nodes)
{
    double p = 0.01;

    for (; p < 1; p += 0.01) {
        double alone = nodes;

        for (int i = 1; i < nodes; i++)
            alone *= 1 - p;
        if (alone < 0.69) /* ln 2 */
            break;
    }
    return p < 1 ? p : 1;
}

static enum status erdos_renyi_make(const void *options, const struct graph_request *q,
                                    struct graph *g)
{
    const struct erdos_renyi_opts *opts = options;

    if (graph_draw_connected(erdos_renyi_draw, opts, q, opts->gen_attempts, g))
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "graph.p: %g connects no erdos_renyi graph of %d nodes in %lld attempts "
                "(gen_attempts); from about p = %.2g on it usually does",
                opts->p, q->nodes, (long long)opts->gen_attempts, likely_p(q->nodes));
}

const struct graph_ops erdos_renyi_graph = {
    .entry =
        {
                .name = "erdos_renyi",
                .summary = "each pair linked with probability p, redrawn until connected",
                .fields = erdos_renyi_fields,
                .options_size = sizeof(struct erdos_renyi_opts),
                },
    .make = erdos_renyi_make,
};
