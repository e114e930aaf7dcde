/*
 * exact_diffusion.c - exact diffusion (D2): adapt, correct, combine.
 *
 *     phi_i = x_i - a grad f_i(x_i) - u_i
 *     x_i  <-  sum_j V_ij phi_j                                                  V = (I + W) / 2
 *     u_i  <-  u_i + phi_i - x_i new                                              u_i = 0 at first
 *
 * This is psi = x - a grad, phi = psi + x - psi of the round before, x <- V phi, summed up: u is
 * psi - phi. In float it does not drift where the two-step rule does. The u_i of all nodes add up
 * to zero.
 *
 * Yuan, Ying, Zhao, Sayed: "Exact Diffusion for Distributed Optimization and Learning", 2019, Part
 * I. Tang et al.: "D2: Decentralized Training over Decentralized Data", 2018.
 */
#include "algo/list.h"
#include "algo/parts/mixing.h"

struct exact_diffusion_options {
    double alpha;
};

static const struct field exact_diffusion_fields[] = {
    FIELD_REAL(struct exact_diffusion_options, alpha, 0, 0, 1e6,
               "step size; 0: the learning rate of optimizer and schedule"),
    FIELD_LAST,
};

enum { U, EXACT_DIFFUSION_VECTORS };
enum { SLACK, EXACT_DIFFUSION_NUMBERS };

static int exact_diffusion_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return EXACT_DIFFUSION_VECTORS;
}

static int exact_diffusion_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return EXACT_DIFFUSION_NUMBERS;
}

/* The state becomes phi. */
static void adapt(struct worker *w, int64_t params)
{
    const struct exact_diffusion_options *o = w->options;
    const float a = (float)(o->alpha > 0 ? o->alpha : w->rates.lr);
    const float *u = w->vectors[U];

    for (int64_t i = 0; i < params; i++)
        w->state[i] -= a * w->gradient[i] + u[i];
    worker_give_gradient(w);
}

/* V phi is phi + lag / 2, so that u loses lag / 2. */
static void combine(struct worker *w, struct mixing *m)
{
    mixing_add(w, w->state, 0.5, m->lag, m->params);
    mixing_add(w, w->vectors[U], -0.5, m->lag, m->params);
    mixing_add(w, w->state + m->params, 1, m->lag + m->params, m->count - m->params);
    mixing_end_lag(m, w);
}

static enum status exact_diffusion_round(struct worker *w)
{
    struct mixing *m = w->memory;
    const struct mixing_vector phi = mixing_state(m, w->state);

    mixing_find_neighbours(m, w);
    TRY(mixing_gradient(w));
    adapt(w, m->params);
    TRY(worker_report_vectors(w, &(struct vector_work){m->params, 3, 4}));
    TRY(mixing_exchange(m, w, &phi, MIXING_BY_MATRIX));
    struct invariant sums = {.text = "the corrections of all nodes add up to zero",
                             .x = w->vectors[U],
                             .count = m->params};
    invariant_allow(w, &sums.slack,
                    &(struct invariant_rounding){w->state, m->params, m->near.in_count, 1});
    combine(w, m);
    TRY(worker_report_vectors(w, &(struct vector_work){m->params, 4, 6}));
    invariant_allow(w, &sums.slack, &(struct invariant_rounding){w->vectors[U], m->params, 1, 1});
    return invariant_check_kept(w, &sums, &m->past, &w->numbers[SLACK]);
}

const struct algo_ops exact_diffusion_algo = {
    .entry = {.name = "exact-diffusion",
              .also = "d2",
              .summary = "exact diffusion (D2): adapt, correct, combine; no bias",
              .fields = exact_diffusion_fields,
              .options_size = sizeof(struct exact_diffusion_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_ROUNDING,
    .bytes = "L * 4 * S",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BOTH_WAYS,
    .is_for_fixed_graphs = true,
    .message_count = 1,
    .scratch_count = 2,
    .vector_count = exact_diffusion_vector_count,
    .number_count = exact_diffusion_number_count,
    .check = mixing_check_plain,
    .begin = mixing_begin,
    .round = exact_diffusion_round,
    .end = mixing_end,
};
