/*
 * stale_copies.c - the last vectors of all other nodes, and the weighted sum over them.
 */
#include "algo/parts/stale_copies.h"

#include <string.h>

#include "base/check.h"

static float *copy_of(const struct stale_copies *c, const struct worker *w, int node)
{
    return c->vectors[node < worker_rank(w) ? node : node - 1];
}

/* What has arrived in this round takes the place of what was there. */
static enum status receive_all(const struct stale_copies *c, const struct mixing *m,
                               struct worker *w, const struct mixing_vector *v)
{
    const size_t bytes = (size_t)v->count * sizeof *v->x;

    for (int i = 0; i < m->near.in_count; i++) {
        const int from = m->near.in[i];
        struct envelope e;

        TRY(transport_recv(w->transport, from, (int)v->kind, &e, copy_of(c, w, from), bytes));
        CHECK(e.bytes == bytes);
        c->known[from] = 1;
    }
    return STATUS_OK;
}

enum status stale_copies_receive(const struct stale_copies *c, struct mixing *m, struct worker *w,
                                 const struct mixing_vector *v, enum mixing_weights weights)
{
    const struct neighbourhood *n = &m->near;

    TRY(receive_all(c, m, w, v));
    mixing_start_lag(m, w, v->count);
    for (int i = 0; i < n->link_count; i++)
        if (c->known[n->links[i]] != 0)
            mixing_add_neighbour(m, v,
                                 &(struct mixing_neighbour){
                                     .x = copy_of(c, w, n->links[i]),
                                     .weight = n->link_weights[i],
                                     .weights = weights,
                                 });
    return worker_report_vectors(w, &(struct vector_work){(int64_t)m->used * v->count, 3, 4});
}
