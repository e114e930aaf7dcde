/*
 * torus.c - the torus: rows x columns, joined at both pairs of edges. The number of nodes must be a
 * product.
 */
#include "graph/list.h"

struct torus_opts {
    int64_t rows;
};

static const struct field torus_fields[] = {
    FIELD_INT(struct torus_opts, rows, 0, 0, GRAPH_NODES_MAX,
              "nodes in a column; 0: as square as the number of nodes allows"),
    FIELD_LAST,
};

/* The largest divisor up to the square root; 1 for a prime. */
static int64_t squarest(int64_t nodes)
{
    int64_t best = 1;

    for (int64_t d = 2; d * d <= nodes; d++) {
        if (nodes % d == 0)
            best = d;
    }
    return best;
}

/* The next number from `nodes` in this direction that is no prime. */
static int64_t next_composite(int64_t nodes, int64_t step)
{
    do
        nodes += step;
    while (nodes > 1 && squarest(nodes) == 1);
    return nodes;
}

static enum status refuse_torus(int64_t rows, int64_t nodes)
{
    if (rows > 0)
        return FAIL(STATUS_BAD_INPUT,
                    "graph.rows: %lld does not divide %lld nodes; use a divisor such as %lld",
                    (long long)rows, (long long)nodes, (long long)squarest(nodes));
    const int64_t above = next_composite(nodes, 1), below = next_composite(nodes, -1);
    if (below < 4)
        return FAIL(
            STATUS_BAD_INPUT,
            "graph: a torus needs rows and columns, but %lld is a prime number; use %lld nodes",
            (long long)nodes, (long long)above);
    return FAIL(
        STATUS_BAD_INPUT,
        "graph: a torus needs rows and columns, but %lld is a prime number; use %lld or %lld nodes",
        (long long)nodes, (long long)below, (long long)above);
}

static enum status torus_make(const void *options, const struct graph_request *q, struct graph *g)
{
    const struct torus_opts *opts = options;
    const int rows = (int)(opts->rows > 0 ? opts->rows : squarest(q->nodes));
    const int columns = q->nodes / rows;
    struct arcs arcs = {0};

    if (q->nodes > 1 && (q->nodes % rows != 0 || (opts->rows == 0 && rows == 1)))
        return refuse_torus(opts->rows, q->nodes);
    for (int i = 0; i < q->nodes && q->nodes > 1; i++) {
        const int right = i / columns * columns + (i + 1) % columns;
        const int below = (i + columns) % q->nodes;

        if (right != i)
            arcs_add(&arcs, i, right);
        if (below != i)
            arcs_add(&arcs, i, below);
    }
    graph_take(g, q, false, &arcs);
    return STATUS_OK;
}

const struct graph_ops torus_graph = {
    .entry =
        {
                .name = "torus",
                .summary = "rows and columns, each closed to a ring",
                .fields = torus_fields,
                .options_size = sizeof(struct torus_opts),
                },
    .make = torus_make,
};
