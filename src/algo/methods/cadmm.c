/*
 * cadmm.c - consensus ADMM, with a few steps of an optimiser for its inner problem (DiNNO).
 *
 *     rho  <-  rho s
 *     p_i  <-  p_i + rho sum_j (x_i - x_j)                               over the neighbours j
 *     x_i  <-  argmin f_i(x) + p_i x + rho sum_j |x - (x_i + x_j) / 2|^2, by B steps from x_i
 *
 * The gradient of what is added to f_i is p_i + 2 rho d_i (x - x_i) - rho lag_i, with the lag
 * sum_j (x_j - x_i), so that a node keeps no neighbour's model. Duals stay at home and add up to
 * zero. Each of the B steps has its own mini-batch. The penalty is around midpoints: around the
 * neighbours' models themselves it does not reach consensus.
 *
 * Where messages get lost, `exchange` decides over which neighbours the sums are: those that were
 * heard (as-received); those that were heard and have heard this node (confirmed), so that duals
 * still add up to zero; or all, with the last model of those that were not heard (stale). If
 * messages get lost one way, only the second ends at the optimum: the others are off by
 * sum p_i / sum a_i on quadratics of curvature a_i.
 *
 * Yu, Vincent, Schwager: "DiNNO: Distributed Neural Network Optimization for Multi-Robot
 * Collaborative Learning", 2022, Alg. 1. Shi et al.: "On the Linear Convergence of the ADMM in
 * Decentralized Consensus Optimization", 2014.
 */
#include "algo/list.h"
#include "algo/parts/admm.h"
#include "algo/parts/stale_copies.h"
#include "base/mem.h"

static const char *const exchanges[] = {"as-received", "confirmed", "stale", NULL};

static const struct field cadmm_fields[] = {
    ADMM_FIELDS(exchanges,
                "if links fail: use the models that arrive, only if both ends received one "
                "(confirmed), or the last that arrived (stale)"),
};

struct cadmm {
    struct admm admm;
    struct stale_copies copies; /* with exchange: stale */
};

static int cadmm_vector_count(const void *options, int workers, bool is_server)
{
    const struct admm_options *o = options;

    (void)is_server;
    return admm_vector_count(o) + (o->exchange == ADMM_STALE ? workers - 1 : 0);
}

static int cadmm_number_count(const void *options, int workers, bool is_server)
{
    const struct admm_options *o = options;

    (void)is_server;
    return ADMM_NUMBERS + (o->exchange == ADMM_STALE ? workers : 0);
}

static enum status cadmm_begin(struct worker *w)
{
    const struct admm_options *o = w->options;
    struct cadmm *c = MEM_NEW(struct cadmm);

    w->memory = c;
    admm_init(&c->admm, w);
    if (o->exchange != ADMM_STALE)
        return STATUS_OK;
    c->copies = (struct stale_copies){
        .vectors = w->vectors + admm_vector_count(o),
        .known = w->numbers + ADMM_NUMBERS,
    };
    /* Old models are on one side of a link only, whichever way it has failed. */
    c->admm.mixing.keeps_mean = w->topology == NULL || !topology_facts(w->topology).changes;
    return STATUS_OK;
}

static void cadmm_end(struct worker *w)
{
    struct cadmm *c = w->memory;

    if (c == NULL)
        return;
    admm_release(&c->admm);
    mem_free(c);
    w->memory = NULL;
}

static enum status exchange_models(struct worker *w, struct cadmm *c)
{
    struct mixing *m = &c->admm.mixing;
    const struct mixing_vector x = mixing_state(m, w->state);

    if (c->copies.vectors == NULL)
        return mixing_exchange(m, w, &x, MIXING_BY_ONE);
    TRY(mixing_send(m, w, &x, MIXING_ALL));
    return stale_copies_receive(&c->copies, m, w, &x, MIXING_BY_ONE);
}

/* Exchanges with the neighbours and moves the dual; the lag is what the penalty needs of them. */
static enum status dual_step(struct worker *w, struct cadmm *c, double rho)
{
    struct mixing *m = &c->admm.mixing;
    float *p = w->vectors[ADMM_DUAL];

    TRY(exchange_models(w, c));
    mixing_add(w, p, -rho, m->lag, m->params);
    mixing_add(w, w->state + m->params, 1, m->lag + m->params, m->count - m->params);
    TRY(worker_report_vectors(w, &(struct vector_work){m->count, 2, 3}));
    return mixing_check_duals(w, m, &(struct mixing_duals){p, rho, &w->numbers[ADMM_SLACK]});
}

static enum status cadmm_round(struct worker *w)
{
    const struct admm_options *o = w->options;
    struct cadmm *c = w->memory;
    const double rho = admm_start_round(&c->admm, w);

    TRY(dual_step(w, c, rho));
    admm_start_steps(&c->admm, w);
    for (int64_t i = 0; i < o->primal_iterations; i++) {
        TRY(mixing_gradient(w));
        TRY(admm_step(&c->admm, w, rho));
    }
    admm_end_steps(&c->admm, w);
    return STATUS_OK;
}

#define CADMM_ALGO(title, line)                                                                    \
    {                                                                                              \
        .entry = {.name = (title),                                                                 \
                  .summary = (line),                                                               \
                  .fields = cadmm_fields,                                                          \
                  .options_size = sizeof(struct admm_options)},                                    \
        .kind = ALGO_LOCKSTEP, .run_model = ALGO_RUN_MODEL_EACH, .limit = ALGO_LIMIT_OPTIMUM,      \
        .one_worker = ALGO_ONE_WORKER_SAME_BITS, .bytes = "L * 4 * S",                             \
        .test_options = "primal_optimizer: sgd", .needs_graph = true,                              \
        .graph_need = ALGO_GRAPH_BOTH_WAYS, .one_way = admm_one_way, .message_count = 1,           \
        .scratch_count = 5, .check = admm_check, .vector_count = cadmm_vector_count,               \
        .draws = admm_draws, .optimizer = admm_optimizer, .number_count = cadmm_number_count,      \
        .begin = cadmm_begin, .round = cadmm_round, .spans_run = admm_spans_run, .end = cadmm_end, \
    }

const struct algo_ops cadmm_algo =
    CADMM_ALGO("cadmm", "consensus ADMM over a graph, its inner problem solved by a few steps");
const struct algo_ops dinno_algo = CADMM_ALGO("dinno", "another name of cadmm");
