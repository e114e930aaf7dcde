/*
 * extra.c - EXTRA: decentralised gradient descent with a correction that takes its bias away.
 *
 *     x_i  <-  sum_j W_ij x_j - a grad f_i(x_i) - s_i
 *     s_i  <-  s_i + (x_i old - sum_j W_ij x_j old) / 2                           s_i = 0 at first
 *
 * This is the two-step rule x'' = (I + W) x' - (I + W)/2 x - a (grad(x') - grad(x)), summed up. In
 * float the two-step rule drifts away over thousands of rounds; this form does not. The s_i of all
 * nodes add up to zero.
 *
 * Shi, Ling, Wu, Yin: "EXTRA: An Exact First-Order Algorithm for Decentralized Consensus
 * Optimization", 2015.
 */
#include "algo/list.h"
#include "algo/parts/mixing.h"

struct extra_options {
    double alpha;
};

static const struct field extra_fields[] = {
    FIELD_REAL(struct extra_options, alpha, 0, 0, 1e6,
               "step size; 0: the learning rate of optimizer and schedule"),
    FIELD_LAST,
};

enum { S, EXTRA_VECTORS };
enum { SLACK, EXTRA_NUMBERS };

static int extra_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return EXTRA_VECTORS;
}

static int extra_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return EXTRA_NUMBERS;
}

/* x <- x + lag - a g - s, then s <- s - lag / 2 */
static void move(struct worker *w, struct mixing *m)
{
    const struct extra_options *o = w->options;
    const float a = (float)(o->alpha > 0 ? o->alpha : w->rates.lr);
    float *s = w->vectors[S];

    for (int64_t i = 0; i < m->params; i++) {
        w->state[i] += m->lag[i] - a * w->gradient[i] - s[i];
        s[i] -= 0.5F * m->lag[i];
    }
    mixing_add(w, w->state + m->params, 1, m->lag + m->params, m->count - m->params);
    mixing_end_lag(m, w);
    worker_give_gradient(w);
}

static enum status extra_round(struct worker *w)
{
    struct mixing *m = w->memory;

    mixing_find_neighbours(m, w);
    TRY(mixing_exchange_state(m, w, MIXING_BY_MATRIX, mixing_gradient));
    struct invariant sums = {.text = "the corrections of all nodes add up to zero",
                             .x = w->vectors[S],
                             .count = m->params};
    invariant_allow(w, &sums.slack,
                    &(struct invariant_rounding){w->state, m->params, m->near.in_count, 1});
    move(w, m);
    TRY(worker_report_vectors(w, &(struct vector_work){m->params, 6, 6}));
    invariant_allow(w, &sums.slack, &(struct invariant_rounding){w->vectors[S], m->params, 1, 1});
    return invariant_check_kept(w, &sums, &m->past, &w->numbers[SLACK]);
}

const struct algo_ops extra_algo = {
    .entry = {.name = "extra",
              .summary = "EXTRA: exact decentralised gradient descent with a constant step",
              .fields = extra_fields,
              .options_size = sizeof(struct extra_options)},
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
    .vector_count = extra_vector_count,
    .number_count = extra_number_count,
    .check = mixing_check_plain,
    .begin = mixing_begin,
    .round = extra_round,
    .end = mixing_end,
};
