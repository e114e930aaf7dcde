/*
 * mixing.c - a node's exchange with its neighbours. Who they are and with which weights: graph/.
 */
#include "algo/parts/mixing.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

void mixing_init(struct mixing *m, const struct worker *w)
{
    const struct problem *p = w->problem;

    *m = (struct mixing){
        .params = p->param_count,
        .count = w->statistics == STATISTICS_AVERAGE ? p->state_count : p->param_count,
        .keeps_mean = w->topology == NULL || !topology_facts(w->topology).loses_one_way,
    };
}

enum status mixing_begin(struct worker *w)
{
    w->memory = MEM_NEW(struct mixing);
    mixing_init(w->memory, w);
    return STATUS_OK;
}

void mixing_end(struct worker *w)
{
    mem_free(w->memory);
    w->memory = NULL;
}

void mixing_find_neighbours(struct mixing *m, const struct worker *w)
{
    struct neighbourhood *n = &m->near;

    *n = (struct neighbourhood){.self = 1, .push = 1};
    if (w->transport->workers == 1)
        return;
    CHECK(w->topology != NULL);
    topology_neighbourhood(w->topology, w->round, worker_rank(w), n);
}

/* Of the neighbours, which are in rank order. */
static struct peers on_side(const struct neighbourhood *n, int rank, enum mixing_side side)
{
    int lower = 0;

    while (lower < n->out_count && n->out[lower] < rank)
        lower++;
    switch (side) {
    case MIXING_ALL:
        return (struct peers){n->out, n->out_count};
    case MIXING_LOWER:
        return (struct peers){n->out, lower};
    case MIXING_HIGHER:
        return (struct peers){n->out + lower, n->out_count - lower};
    }
    BUG("side out of range");
}

enum status mixing_send(const struct mixing *m, struct worker *w, const struct mixing_vector *v,
                        enum mixing_side side)
{
    const struct peers to = on_side(&m->near, worker_rank(w), side);

    return transport_send_each(w->transport, &to, (int)v->kind, v->x,
                               (size_t)v->count * sizeof *v->x);
}

void mixing_accumulate(float *lag, double coefficient, const float *other, const float *x,
                       int64_t count)
{
    const float c = (float)coefficient;

    for (int64_t i = 0; i < count; i++)
        lag[i] += c * (other[i] - x[i]);
}

/* Any two nodes of a run have states of one size, so a message of another one is a mistake. */
enum status mixing_receive_one(struct worker *w, const struct mixing_vector *v, int from,
                               float *place, const float **x)
{
    const struct incoming room = {place, (size_t)v->count * sizeof *v->x};
    const void *data;
    struct envelope e;

    TRY(transport_borrow(w->transport, from, (int)v->kind, &e, &room, &data));
    CHECK(e.bytes == room.bytes);
    *x = data;
    return STATUS_OK;
}

static struct peers senders_of(const struct mixing *m)
{
    return (struct peers){m->near.in, m->near.in_count};
}

enum status mixing_await(const struct mixing *m, struct worker *w, enum mixing_kind kind)
{
    const struct peers from = senders_of(m);

    if (!scratch_waits_first(&w->scratch) || delays_are_set(w->delays))
        return STATUS_OK;
    return transport_await(w->transport, &from, (int)kind);
}

void mixing_start_lag(struct mixing *m, struct worker *w, int64_t count)
{
    CHECK(m->lag == NULL);
    m->lag = scratch_take(&w->scratch);
    memset(m->lag, 0, (size_t)count * sizeof *m->lag);
    m->used = 0;
}

void mixing_add_neighbour(struct mixing *m, const struct mixing_vector *v,
                          const struct mixing_neighbour *n)
{
    const int64_t params = v->count < m->params ? v->count : m->params;

    mixing_accumulate(m->lag, n->weights == MIXING_BY_ONE ? 1 : n->weight, n->x, v->x, params);
    mixing_accumulate(m->lag + params, n->weight, n->x + params, v->x + params, v->count - params);
    m->used++;
}

bool mixing_uses(const struct mixing *m, int neighbour)
{
    const struct neighbourhood *n = &m->near;
    bool is_reached = !m->is_confirmed;

    for (int i = 0; i < n->out_count && !is_reached; i++)
        is_reached = n->out[i] == neighbour;
    return is_reached;
}

enum status mixing_receive(struct mixing *m, struct worker *w, const struct mixing_vector *v,
                           enum mixing_weights weights)
{
    const struct peers from = senders_of(m);

    TRY(transport_await(w->transport, &from, (int)v->kind));
    float *place = scratch_take(&w->scratch);

    mixing_start_lag(m, w, v->count);
    for (int i = 0; i < m->near.in_count; i++) {
        struct mixing_neighbour n = {.weight = m->near.weights[i], .weights = weights};

        TRY(mixing_receive_one(w, v, m->near.in[i], place, &n.x));
        if (mixing_uses(m, m->near.in[i]))
            mixing_add_neighbour(m, v, &n);
        transport_give_back(w->transport);
    }
    scratch_give(&w->scratch, place);
    return worker_report_vectors(w, &(struct vector_work){(int64_t)m->used * v->count, 3, 4});
}

void mixing_end_lag(struct mixing *m, struct worker *w)
{
    scratch_give(&w->scratch, m->lag);
    m->lag = NULL;
}

enum status mixing_apply(struct mixing *m, struct worker *w)
{
    mixing_add(w, w->state, 1, m->lag, m->count);
    mixing_end_lag(m, w);
    return worker_report_vectors(w, &(struct vector_work){m->count, 2, 3});
}

static enum status check_mean(const struct mixing *m, struct worker *w,
                              const struct mixing_vector *v, enum mixing_weights weights)
{
    const int degree = m->near.in_count;
    struct invariant lags = {
        .text = "mixing leaves the mean of all nodes where it is", .x = m->lag, .count = v->count};

    if (!m->keeps_mean)
        return STATUS_OK;
    invariant_allow(w, &lags.slack,
                    &(struct invariant_rounding){.x = v->x,
                                                 .count = v->count,
                                                 .terms = degree,
                                                 .factor = weights == MIXING_BY_ONE ? degree : 1});
    return invariant_check(w, &lags);
}

enum status mixing_collect(struct mixing *m, struct worker *w, const struct mixing_vector *v,
                           enum mixing_weights weights)
{
    TRY(mixing_receive(m, w, v, weights));
    return check_mean(m, w, v, weights);
}

enum status mixing_check_duals(struct worker *w, struct mixing *m, const struct mixing_duals *d)
{
    const int degree = m->near.in_count;
    struct invariant v = {
        .text = "the duals of all nodes add up to zero", .x = d->p, .count = m->params};

    if (!m->keeps_mean)
        return STATUS_OK;
    invariant_allow(w, &v.slack, &(struct invariant_rounding){d->p, m->params, 1, 1});
    invariant_allow(
        w, &v.slack,
        &(struct invariant_rounding){w->state, m->params, degree, d->factor * (degree + 1)});
    return invariant_check_kept(w, &v, &m->past, d->number);
}

enum status mixing_exchange(struct mixing *m, struct worker *w, const struct mixing_vector *v,
                            enum mixing_weights weights)
{
    TRY(mixing_send(m, w, v, MIXING_ALL));
    return mixing_collect(m, w, v, weights);
}

enum status mixing_exchange_state(struct mixing *m, struct worker *w, enum mixing_weights weights,
                                  enum status (*gradient)(struct worker *w))
{
    const struct mixing_vector x = mixing_state(m, w->state);
    const bool has_buffers = m->count > m->params;

    if (!has_buffers) {
        TRY(mixing_send(m, w, &x, MIXING_ALL));
        TRY(mixing_await(m, w, x.kind));
    }
    TRY(gradient(w));
    if (has_buffers)
        TRY(mixing_send(m, w, &x, MIXING_ALL));
    return mixing_collect(m, w, &x, weights);
}

struct mixing_vector mixing_state(const struct mixing *m, const float *state)
{
    return (struct mixing_vector){.kind = MIXING_STATE, .x = state, .count = m->count};
}

void mixing_add(const struct worker *w, float *x, double a, const float *y, int64_t count)
{
    w->optim->kernel->axpy(x, (float)a, y, count);
}

enum status mixing_gradient(struct worker *w)
{
    problem_draw(w->problem);
    w->problem->global_batch = 0;
    TRY(worker_gradient(w));
    worker_clip(w);
    return STATUS_OK;
}

enum algo_one_way mixing_one_way(const void *options)
{
    (void)options;
    return ALGO_ONE_WAY_BIASED;
}

/* An option of the optimiser that is a real number; 0 when it has none of this name. */
static double optimizer_option(const struct algo_setting *s, const char *name)
{
    const struct field *f = fields_find(s->optim->entry.fields, name);

    if (f == NULL || f->kind != FIELD_KIND_REAL)
        return 0;
    return *(const double *)(const void *)((const char *)s->optim_options + f->offset);
}

enum status mixing_check_plain(const struct algo_setting *s)
{
    const struct optim_ops *o = s->optim;
    const char *key = NULL;

    if (strcmp(o->entry.name, "sgd") != 0)
        key = "name";
    else if (o->momentum != NULL && o->momentum(s->optim_options) > 0)
        key = "momentum";
    else if (optimizer_option(s, "weight_decay") > 0)
        key = "weight_decay";
    if (key == NULL)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "optimizer.%s: %s takes plain gradient steps; use optimizer sgd without momentum "
                "and weight decay, not %s with these options",
                key, s->algo->entry.name, o->entry.name);
}
