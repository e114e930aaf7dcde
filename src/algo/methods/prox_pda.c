/*
 * prox_pda.c - the proximal primal-dual algorithm with one linearised step (Prox-GPDA).
 *
 *     x_i  <-  ( sum_j (x_i + x_j) - (grad f_i(x_i) + p_i) / beta ) / (2 d_i)    over neighbours j
 *     p_i  <-  p_i + beta sum_j (x_i - x_j)                                       with the new x
 *
 * The dual's sum over the new models needs what the neighbours say in the next round anyway, so it
 * is made there, before the primal step: one exchange a round. A node without neighbours makes
 * plain steps with the learning rate. The duals of all nodes add up to zero. The theory is for
 * graphs that do not change: pairs of nodes that meet in turn may diverge.
 *
 * Hong, Hajinezhad, Zhao: "Prox-PDA: The Proximal Primal-Dual Algorithm for Fast Distributed
 * Nonconvex Optimization and Learning Over Networks", 2017.
 */
#include "algo/list.h"
#include "algo/parts/mixing.h"

struct prox_pda_options {
    double beta;
};

static const struct field prox_pda_fields[] = {
    FIELD_REAL(struct prox_pda_options, beta, 0, 0, 1e12,
               "penalty, of the order of the loss's largest curvature; 0: 1 / (4 learning rate), "
               "which on a cycle makes steps of the learning rate"),
    FIELD_LAST,
};

enum { P, PROX_PDA_VECTORS };
enum { HAS_MOVED, SLACK, PROX_PDA_NUMBERS };

static int prox_pda_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return PROX_PDA_VECTORS;
}

static int prox_pda_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return PROX_PDA_NUMBERS;
}

static enum status prox_pda_check(const struct algo_setting *s)
{
    const struct prox_pda_options *o = s->options;

    TRY(mixing_check_plain(s));
    if (!(o->beta > 0) && !(s->optim->lr(s->optim_options) > 0))
        return FAIL(STATUS_BAD_INPUT, "algorithm.beta: 0 needs a learning rate above 0");
    return STATUS_OK;
}

/* The dual step that the last primal one has left; none before the first. */
static enum status dual_step(struct worker *w, struct mixing *m, double beta)
{
    if (w->numbers[HAS_MOVED])
        mixing_add(w, w->vectors[P], -beta, m->lag, m->params);
    w->numbers[HAS_MOVED] = 1;
    return mixing_check_duals(w, m,
                              &(struct mixing_duals){w->vectors[P], beta, &w->numbers[SLACK]});
}

/* x <- x + lag / (2 d) - a (g + p) with a = 1 / (2 d beta) */
static void primal_step(struct worker *w, struct mixing *m, double beta)
{
    const int degree = m->near.in_count;
    const float a = (float)(degree > 0 ? 1 / (2 * degree * beta) : w->rates.lr);
    const float pull = degree > 0 ? (float)(0.5 / degree) : 0;
    const float *p = w->vectors[P];

    for (int64_t i = 0; i < m->params; i++)
        w->state[i] += pull * m->lag[i] - a * (w->gradient[i] + p[i]);
    mixing_add(w, w->state + m->params, 1, m->lag + m->params, m->count - m->params);
    mixing_end_lag(m, w);
}

static enum status prox_pda_round(struct worker *w)
{
    const struct prox_pda_options *o = w->options;
    struct mixing *m = w->memory;
    const double beta = o->beta > 0 ? o->beta : 1 / (4 * w->rates.lr);

    mixing_find_neighbours(m, w);
    TRY(mixing_exchange_state(m, w, MIXING_BY_ONE, mixing_gradient));
    TRY(dual_step(w, m, beta));
    primal_step(w, m, beta);
    return worker_report_vectors(w, &(struct vector_work){m->params, 7, 8});
}

const struct algo_ops prox_pda_algo = {
    .entry = {.name = "prox-pda",
              .summary = "proximal primal-dual steps over a graph (Prox-GPDA); no bias",
              .fields = prox_pda_fields,
              .options_size = sizeof(struct prox_pda_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_ROUNDING,
    .bytes = "L * 4 * S",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BOTH_WAYS,
    .is_for_fixed_graphs = true,
    .message_count = 1,
    .scratch_count = 3,
    .vector_count = prox_pda_vector_count,
    .number_count = prox_pda_number_count,
    .check = prox_pda_check,
    .begin = mixing_begin,
    .round = prox_pda_round,
    .end = mixing_end,
};
