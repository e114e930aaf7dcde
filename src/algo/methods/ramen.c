/*
 * ramen.c - consensus ADMM for maps that nodes see in parts: a node trusts another by how often
 * each has seen a place (RAMEN).
 *
 *     u_i  counts, for each value of the map's grid, the primal steps that had a gradient there
 *     W_i, W_j  of a link: between rho / 1000 and rho, from u_i and u_j (parts/certainty.h)
 *     p_i  <-  p_i + sum_j 2 W_i W_j / (W_i + W_j) (x_i - x_j)          over the neighbours j
 *     x_i  <-  argmin f_i(x) + p_i x + sum_j |x - (W_i x_i + W_j x_j) / (W_i + W_j)|^2 by W_i
 *
 * by B steps from x_i. With W_i = W_j = rho, as where all counts are equal, it is cadmm to the bit.
 * What one end of a link adds to its dual the other subtracts, so that the duals add up to zero; if
 * messages get lost one way, this needs exchange: confirmed.
 *
 * Zhao, Ivanovic, Mehr: "RAMEN: Real-time Asynchronous Multi-agent Neural Implicit Mapping", 2025.
 */
#include "algo/list.h"
#include "algo/parts/certainty.h"
#include "base/mem.h"

static const char *const exchanges[] = {"as-received", "confirmed", NULL};

static const struct field ramen_fields[] = {
    ADMM_FIELDS(exchanges, "if links fail: use the models that arrive, or only if both ends "
                           "received one (confirmed)"),
};

struct ramen {
    struct admm admm;
    struct certainty certainty;
};

/* The counts follow what admm keeps. */
static int ramen_vector_count(const void *options, int workers, bool is_server)
{
    (void)workers;
    (void)is_server;
    return admm_vector_count(options) + 1;
}

static int ramen_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return ADMM_NUMBERS;
}

static enum status ramen_begin(struct worker *w)
{
    struct ramen *r = MEM_NEW(struct ramen);

    w->memory = r;
    admm_init(&r->admm, w);
    certainty_init(&r->certainty, w->layout, w->vectors[admm_vector_count(w->options)]);
    return STATUS_OK;
}

static void ramen_end(struct worker *w)
{
    struct ramen *r = w->memory;

    if (r == NULL)
        return;
    certainty_release(&r->certainty);
    admm_release(&r->admm);
    mem_free(r);
    w->memory = NULL;
}

/* The lag is in units of rho. */
static enum status dual_step(struct worker *w, struct ramen *r, double rho)
{
    struct mixing *m = &r->admm.mixing;
    float *p = w->vectors[ADMM_DUAL];

    TRY(certainty_exchange(&r->certainty, &r->admm, w, NULL));
    mixing_add(w, p, -rho, m->lag, m->params);
    mixing_add(w, w->state + m->params, 1, m->lag + m->params, m->count - m->params);
    TRY(worker_report_vectors(w, &(struct vector_work){m->count, 2, 3}));
    return mixing_check_duals(w, m, &(struct mixing_duals){p, rho, &w->numbers[ADMM_SLACK]});
}

static enum status ramen_round(struct worker *w)
{
    const struct admm_options *o = w->options;
    struct ramen *r = w->memory;
    const double rho = admm_start_round(&r->admm, w);

    TRY(dual_step(w, r, rho));
    admm_start_steps(&r->admm, w);
    for (int64_t i = 0; i < o->primal_iterations; i++) {
        TRY(mixing_gradient(w));
        certainty_add_step(&r->certainty, w->gradient);
        TRY(admm_step(&r->admm, w, rho));
    }
    admm_end_steps(&r->admm, w);
    return STATUS_OK;
}

static const float *ramen_certainty(const struct worker *w)
{
    const struct ramen *r = w->memory;

    return r->certainty.counts;
}

const struct algo_ops ramen_algo = {
    .entry = {.name = "ramen",
              .summary = "cadmm for maps: nodes trust each other by what they have seen",
              .fields = ramen_fields,
              .options_size = sizeof(struct admm_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "L * 4 * (S + G)",
    .test_options = "primal_optimizer: sgd",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BOTH_WAYS,
    .needs_grid = true,
    .one_way = admm_one_way,
    .message_count = 2,
    .scratch_count = 6,
    .check = admm_check,
    .vector_count = ramen_vector_count,
    .number_count = ramen_number_count,
    .draws = admm_draws,
    .optimizer = admm_optimizer,
    .spans_run = admm_spans_run,
    .certainty = ramen_certainty,
    .begin = ramen_begin,
    .round = ramen_round,
    .end = ramen_end,
};
