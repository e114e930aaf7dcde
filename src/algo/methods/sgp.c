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
#include "algo/parts/mixing.h"
#include "algo/parts/stored_real.h"
#include "base/check.h"
#include "base/mem.h"

enum { X, SGP_VECTORS };
enum { MASS, SGP_NUMBERS }; /* MASS: v */

struct sgp {
    struct mixing mixing;
    size_t bytes;  /* of a share: its mass as a double, then [count] floats */
    float *before; /* [count], of scratch: x before the push, for the check of --paranoid */
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
    if (!w->is_resumed) {
        stored_real_set(&w->numbers[MASS], 1);
        memcpy(w->vectors[X], w->state, (size_t)states * sizeof *w->state);
    }
    return STATUS_OK;
}

static void sgp_end(struct worker *w)
{
    mem_free(w->memory);
    w->memory = NULL;
}

/* At z, but x is moved. A node without data in this round stays where it is. */
static enum status local_step(struct worker *w)
{
    TRY(mixing_gradient(w));
    if (w->problem->batch_size > 0) {
        worker_apply(w, w->optim, w->vectors[X], w->gradient, w->rates);
        TRY(worker_report_update(w, w->optim));
    }
    worker_give_gradient(w);
    return STATUS_OK;
}

static void find_neighbours(struct mixing *m, const struct worker *w)
{
    m->near = (struct neighbourhood){.self = 1, .push = 1};
    if (w->transport->workers == 1)
        return;
    CHECK(w->topology != NULL);
    topology_neighbourhood(w->topology, w->round, worker_rank(w), &m->near);
}

static float *values_of(void *packet)
{
    return (float *)(void *)((char *)packet + sizeof(double));
}

/* A share as a packet, to each that reads this node. */
static enum status send_shares(struct worker *w, struct sgp *s, float share)
{
    const struct peers to = {s->mixing.near.out, s->mixing.near.out_count};
    const double mass = (double)share * stored_real_get(&w->numbers[MASS]);

    if (to.count == 0)
        return STATUS_OK;
    void *packet = scratch_take(&w->scratch);

    memcpy(packet, &mass, sizeof mass);
    for (int64_t i = 0; i < s->mixing.count; i++)
        values_of(packet)[i] = share * w->vectors[X][i];
    TRY(worker_report_vectors(w, &(struct vector_work){s->mixing.count, 1, 2}));
    TRY(transport_send_each(w->transport, &to, MIXING_PUSH, packet, s->bytes));
    scratch_give(&w->scratch, packet);
    return STATUS_OK;
}

/* Adds what others gave to what is left. */
static enum status receive_shares(struct worker *w, struct sgp *s, double *mass)
{
    const struct peers from = {s->mixing.near.in, s->mixing.near.in_count};

    TRY(transport_await(w->transport, &from, MIXING_PUSH));
    void *packet = scratch_take(&w->scratch);

    for (int i = 0; i < from.count; i++) {
        struct envelope e;
        double given;

        TRY(transport_recv(w->transport, from.ranks[i], MIXING_PUSH, &e, packet, s->bytes));
        CHECK(e.bytes == s->bytes);
        memcpy(&given, packet, sizeof given);
        *mass += given;
        mixing_add(w, w->vectors[X], 1, values_of(packet), s->mixing.count);
    }
    scratch_give(&w->scratch, packet);
    return worker_report_vectors(
        w, &(struct vector_work){(int64_t)from.count * s->mixing.count, 1, 3});
}

/*
 * Shares are rounded to float, and what is kept is the rest: it is a float too, so that what a node
 * gives and keeps is exactly what it has, in x as in v.
 */
static enum status push_sum(struct worker *w, struct sgp *s)
{
    const struct neighbourhood *n = &s->mixing.near;
    const float share = (float)n->push;
    const float kept = 1.0F - (float)n->out_count * share;
    double mass = stored_real_get(&w->numbers[MASS]);

    TRY(send_shares(w, s, share));
    w->optim->kernel->scale(w->vectors[X], kept, s->mixing.count);
    mass *= (double)kept;
    TRY(receive_shares(w, s, &mass));
    stored_real_set(&w->numbers[MASS], mass);
    return STATUS_OK;
}

static enum status check_mass(struct worker *w)
{
    const int workers = w->transport->workers;
    double sum = stored_real_get(&w->numbers[MASS]);

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

/* Columns add up to 1. */
static enum status check_values(struct worker *w, struct sgp *s)
{
    const struct mixing *m = &s->mixing;
    const int terms = m->near.in_count + m->near.out_count;
    struct invariant v = {.text = "what all nodes push is what they receive",
                          .x = w->vectors[X],
                          .y = s->before,
                          .count = m->count};

    invariant_allow(w, &v.slack, &(struct invariant_rounding){s->before, m->count, terms, 1});
    invariant_allow(w, &v.slack, &(struct invariant_rounding){w->vectors[X], m->count, terms, 1});
    TRY(invariant_check(w, &v));
    scratch_give(&w->scratch, s->before);
    s->before = NULL;
    return STATUS_OK;
}

/* Running statistics live in z: they go into x before the push, and come back with z. */
static enum status sgp_round(struct worker *w)
{
    struct sgp *s = w->memory;
    const struct mixing *m = &s->mixing;
    const float before = (float)stored_real_get(&w->numbers[MASS]);
    float *x = w->vectors[X];

    find_neighbours(&s->mixing, w);
    TRY(local_step(w));
    for (int64_t i = m->params; i < m->count; i++)
        x[i] = w->state[i] * before;
    if (w->paranoid) {
        s->before = scratch_take(&w->scratch);
        memcpy(s->before, x, (size_t)m->count * sizeof *x);
    }
    TRY(push_sum(w, s));
    TRY(check_values(w, s));
    const float mass = (float)stored_real_get(&w->numbers[MASS]);
    for (int64_t i = 0; i < m->count; i++)
        w->state[i] = x[i] / mass;
    TRY(worker_report_vectors(w, &(struct vector_work){m->count, 1, 2}));
    return check_mass(w);
}

/* A node gives shares only to those that it reaches, and mass goes with them. */
static enum algo_one_way sgp_one_way(const void *options)
{
    (void)options;
    return ALGO_ONE_WAY_EXACT;
}

const struct algo_ops sgp_algo = {
    .entry = {.name = "sgp",
              .summary = "stochastic gradient push: push-sum over graphs that may have directions"},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "L * (4 * S + 8)",
    .needs_graph = true,
    .one_way = sgp_one_way,
    .message_count = 1,
    .vector_count = sgp_vector_count,
    .number_count = sgp_number_count,
    .begin = sgp_begin,
    .round = sgp_round,
    .end = sgp_end,
};
