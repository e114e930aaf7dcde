/*
 * udon.c - consensus ADMM for maps with a dual for each link, so that a link that fails is left out
 * altogether (UDON).
 *
 *     p_ij  <-  p_ij + 2 W_i W_j / (W_i + W_j) (x_i - x_j)       for each j that was heard
 *     m_ij   =  (W_i x_i + W_j x_j) / (W_i + W_j)
 *     x_i   <-  argmin f_i(x) + sum_j p_ij x + sum_j |x - m_ij|^2 weighted by W_i
 *
 * with both sums over those j only, by B steps from x_i. The weights are those of ramen. If all
 * links deliver, it is ramen within rounding. If not, the price of disagreeing with a neighbour
 * that is not heard is gone for this round: it does not come to rest.
 *
 * Zhao, Zhou, Ivanovic, Mehr: "UDON: Uncertainty-weighted Distributed Optimization for Multi-Robot
 * Neural Implicit Mapping under Extreme Communication Constraints", 2025.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/parts/certainty.h"
#include "base/mem.h"

static const char *const exchanges[] = {"as-received", "confirmed", NULL};

static const struct field udon_fields[] = {
    ADMM_FIELDS(exchanges, "if links fail: use the models that arrive, or only if both ends "
                           "received one (confirmed)"),
};

struct udon {
    struct admm admm;
    struct certainty certainty;
    float **duals; /* [workers - 1]: p_ij of all nodes but this one */
    double rho;    /* of this round */
    struct invariant sum;
};

/* Counts and the duals of links follow what admm keeps. */
static int udon_vector_count(const void *options, int workers, bool is_server)
{
    (void)is_server;
    return admm_vector_count(options) + workers;
}

static int udon_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return ADMM_NUMBERS;
}

/* A link that is left out at both ends still loses its price. */
static enum algo_one_way udon_one_way(const void *options)
{
    (void)options;
    return ALGO_ONE_WAY_BIASED;
}

static enum status udon_begin(struct worker *w)
{
    struct udon *u = MEM_NEW(struct udon);
    float **vectors = w->vectors + admm_vector_count(w->options);

    w->memory = u;
    admm_init(&u->admm, w);
    certainty_init(&u->certainty, w->layout, vectors[0]);
    u->duals = vectors + 1;
    return STATUS_OK;
}

static void udon_end(struct worker *w)
{
    struct udon *u = w->memory;

    if (u == NULL)
        return;
    certainty_release(&u->certainty);
    admm_release(&u->admm);
    mem_free(u);
    w->memory = NULL;
}

/* Moves the dual of a link and adds it to those of this round. */
static void move_dual(struct worker *w, int neighbour, const float *difference)
{
    struct udon *u = w->memory;
    float *p = u->duals[neighbour < worker_rank(w) ? neighbour : neighbour - 1];
    const int64_t params = u->admm.mixing.params;

    mixing_add(w, p, -u->rho, difference, params);
    mixing_add(w, w->vectors[ADMM_DUAL], 1, p, params);
    invariant_allow(w, &u->sum.slack,
                    &(struct invariant_rounding){p, params, u->admm.mixing.near.in_count, 1});
}

/* Those of a link are opposite to the bit, so that rounding is that of one round's sums. */
static enum status dual_step(struct worker *w, struct udon *u)
{
    struct mixing *m = &u->admm.mixing;
    float *p = w->vectors[ADMM_DUAL];

    memset(p, 0, (size_t)m->params * sizeof *p);
    u->sum = (struct invariant){
        .text = "the duals of all nodes add up to zero", .x = p, .count = m->params};
    TRY(certainty_exchange(&u->certainty, &u->admm, w, move_dual));
    mixing_add(w, w->state + m->params, 1, m->lag + m->params, m->count - m->params);
    TRY(worker_report_vectors(w, &(struct vector_work){(int64_t)m->used * m->count, 3, 6}));
    return m->keeps_mean ? invariant_check(w, &u->sum) : STATUS_OK;
}

static enum status udon_round(struct worker *w)
{
    const struct admm_options *o = w->options;
    struct udon *u = w->memory;

    u->rho = admm_start_round(&u->admm, w);
    TRY(dual_step(w, u));
    admm_start_steps(&u->admm, w);
    for (int64_t i = 0; i < o->primal_iterations; i++) {
        TRY(mixing_gradient(w));
        certainty_add_step(&u->certainty, w->gradient);
        TRY(admm_step(&u->admm, w, u->rho));
    }
    admm_end_steps(&u->admm, w);
    return STATUS_OK;
}

static const float *udon_certainty(const struct worker *w)
{
    const struct udon *u = w->memory;

    return u->certainty.counts;
}

const struct algo_ops udon_algo = {
    .entry = {.name = "udon",
              .summary = "ramen with a dual for each link, which counts only while the link works",
              .fields = udon_fields,
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
    .is_for_fixed_graphs = true,
    .one_way = udon_one_way,
    .message_count = 2,
    .scratch_count = 6,
    .check = admm_check,
    .vector_count = udon_vector_count,
    .number_count = udon_number_count,
    .draws = admm_draws,
    .optimizer = admm_optimizer,
    .spans_run = admm_spans_run,
    .certainty = udon_certainty,
    .begin = udon_begin,
    .round = udon_round,
    .end = udon_end,
};
