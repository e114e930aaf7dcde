/*
 * sgp.c - stochastic gradient push: SGD with push-sum, for graphs with directions.
 *
 *     x_i  <-  x_i - a grad f_i(z_i)
 *     x_i  <-  sum_j p_ij x_j,      v_i  <-  sum_j p_ij v_j                       v_i = 1 at first
 *     z_i = x_i / v_i
 *
 * Columns of p add up to 1: a node gives away equal shares of what it has, and need only know who
 * reads it. The v_i of all nodes add up to their number. The worker's state is z; x is a vector of
 * the algorithm. The step is the run's optimiser on x.
 *
 * Assran, Loizou, Ballas, Rabbat: "Stochastic Gradient Push for Distributed Deep Learning", 2019,
 * Alg. 1.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "algo/list.h"
#include "algo/mixing.h"
#include "algo/number.h"
#include "base/check.h"
#include "base/mem.h"

enum { X, SGP_VECTORS };
enum { MASS, SGP_NUMBERS }; /* MASS: v */

struct sgp {
    struct mixing mixing;
    void *packet; /* a share: its mass as a double, then [count] floats */
    size_t bytes;
};

static int sgp_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return SGP_VECTORS;
}

static int sgp_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return SGP_NUMBERS;
}

static enum status sgp_begin(struct worker *w)
{
    const int64_t states = w->problem->state_count;
    struct sgp *s = MEM_NEW(struct sgp);

    w->memory = s;
    mixing_init(&s->mixing, w);
    s->bytes = sizeof(double) + (size_t)s->mixing.count * sizeof(float);
    s->packet = mem_alloc((int64_t)s->bytes, 1);
    if (number_real(&w->numbers[MASS]) == 0) {
        number_set_real(&w->numbers[MASS], 1);
        memcpy(w->vectors[X], w->state, (size_t)states * sizeof *w->state);
    }
    return STATUS_OK;
}

static void sgp_end(struct worker *w)
{
    struct sgp *s = w->memory;

    if (s == NULL)
        return;
    mem_free(s->packet);
    mixing_release(&s->mixing);
    mem_free(s);
    w->memory = NULL;
}

/* At z, but x is moved. A node without data in this round stays where it is. */
static enum status step(struct worker *w)
{
    TRY(mixing_gradient(w));
    if (w->problem->batch_size > 0)
        optim_update(w->optim, w->vectors[X], w->gradient, w->rates);
    return STATUS_OK;
}

static void look(struct mixing *m, const struct worker *w)
{
    m->near = (struct neighbourhood){.self = 1, .push = 1};
    if (w->transport->workers == 1)
        return;
    CHECK(w->topology != NULL);
    topology_look(w->topology, w->round, worker_rank(w), &m->near);
}

/* A share as a packet, to each that reads this node. */
static enum status give(struct worker *w, struct sgp *s, float share)
{
    const struct neighbourhood *n = &s->mixing.near;
    const double mass = (double)share * number_real(&w->numbers[MASS]);
    float *values = (float *)(void *)((char *)s->packet + sizeof mass);

    if (n->out_count == 0)
        return STATUS_OK;
    memcpy(s->packet, &mass, sizeof mass);
    for (int64_t i = 0; i < s->mixing.count; i++)
        values[i] = share * w->vectors[X][i];
    for (int i = 0; i < n->out_count; i++)
        TRY(transport_send(w->transport, n->out[i], MIXING_PUSH, s->packet, s->bytes));
    return STATUS_OK;
}

/* Adds what others gave to what is left. */
static enum status take(struct worker *w, struct sgp *s, double *mass)
{
    const struct neighbourhood *n = &s->mixing.near;
    const float *values = (const float *)(const void *)((char *)s->packet + sizeof *mass);

    for (int i = 0; i < n->in_count; i++) {
        struct envelope e;
        double given;

        TRY(transport_recv(w->transport, n->in[i], MIXING_PUSH, &e, s->packet, s->bytes));
        CHECK(e.bytes == s->bytes);
        memcpy(&given, s->packet, sizeof given);
        *mass += given;
        mixing_add(w, w->vectors[X], 1, values, s->mixing.count);
    }
    return STATUS_OK;
}

/*
 * Shares are rounded to float, and what is kept is the rest: it is a float too, so that what a node
 * gives and keeps is exactly what it has, in x as in v.
 */
static enum status push(struct worker *w, struct sgp *s)
{
    const struct neighbourhood *n = &s->mixing.near;
    const float share = (float)n->push;
    const float kept = 1.0F - (float)n->out_count * share;
    double mass = number_real(&w->numbers[MASS]);

    TRY(give(w, s, share));
    w->optim->kernel->scale(w->vectors[X], kept, s->mixing.count);
    mass *= (double)kept;
    TRY(take(w, s, &mass));
    number_set_real(&w->numbers[MASS], mass);
    return STATUS_OK;
}

static enum status check_mass(struct worker *w)
{
    const int workers = w->transport->workers;
    double sum = number_real(&w->numbers[MASS]);

    if (!w->paranoid)
        return STATUS_OK;
    TRY(transport_sum(
        w->transport,
        &(struct sum){.data = &sum, .count = 1, .type = SUM_DOUBLE, .is_control = true}));
    /* The shares are floats: a node's may add up to 1 but for a rounding error, in every round. */
    const double slack = (double)FLT_EPSILON * workers * (double)(w->round + 1);
    if (fabs(sum - workers) <= slack)
        return STATUS_OK;
    return FAIL(STATUS_DIVERGED,
                "sgp, round %lld: the push-sum weights of all nodes add up to %.12g and not to %d",
                (long long)w->round, sum, workers);
}

/* Columns add up to 1. m->lag has what there was before the push. */
static enum status check_values(struct worker *w, const struct mixing *m)
{
    const int terms = m->near.in_count + m->near.out_count;
    struct invariant v = {.text = "what all nodes push is what they receive",
                          .x = w->vectors[X],
                          .y = m->lag,
                          .count = m->count};

    invariant_allow(w, &v.slack, &(struct invariant_rounding){m->lag, m->count, terms, 1});
    invariant_allow(w, &v.slack, &(struct invariant_rounding){w->vectors[X], m->count, terms, 1});
    return invariant_check(w, &v);
}

/* Running statistics live in z: they go into x before the push, and come back with z. */
static enum status sgp_round(struct worker *w)
{
    struct sgp *s = w->memory;
    const struct mixing *m = &s->mixing;
    const float before = (float)number_real(&w->numbers[MASS]);
    float *x = w->vectors[X];

    look(&s->mixing, w);
    TRY(step(w));
    for (int64_t i = m->params; i < m->count; i++)
        x[i] = w->state[i] * before;
    if (w->paranoid)
        memcpy(m->lag, x, (size_t)m->count * sizeof *x);
    TRY(push(w, s));
    TRY(check_values(w, m));
    const float mass = (float)number_real(&w->numbers[MASS]);
    for (int64_t i = 0; i < m->count; i++)
        w->state[i] = x[i] / mass;
    return check_mass(w);
}

const struct algo_ops sgp_algo = {
    .entry = {.name = "sgp",
              .summary = "stochastic gradient push: push-sum over graphs that may have directions"},
    .kind = ALGO_LOCKSTEP,
    .view = ALGO_VIEW_EACH,
    .needs_graph = true,
    .work_count = 3,
    .vector_count = sgp_vector_count,
    .number_count = sgp_number_count,
    .begin = sgp_begin,
    .round = sgp_round,
    .end = sgp_end,
};
