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
#include <string.h>

#include "algo/list.h"
#include "algo/parts/stale_copies.h"
#include "algo/parts/stored_real.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/portable_math.h"

struct cadmm_options {
    double rho_init, rho_scaling;
    int64_t primal_iterations;
    int primal_optimizer; /* the position in primal_optimizers */
    double primal_lr, primal_lr_end;
    int lr_decay; /* enum lr_decay */
    bool persistent_primal_opt;
    int exchange; /* enum exchange */
};

static const char *const primal_optimizers[] = {"adam", "adamw", "sgd", NULL};

enum exchange { EXCHANGE_AS_RECEIVED, EXCHANGE_CONFIRMED, EXCHANGE_STALE };
static const char *const exchanges[] = {"as-received", "confirmed", "stale", NULL};

enum lr_decay { DECAY_CONSTANT, DECAY_LINEAR, DECAY_LOG };
static const char *const lr_decays[] = {"constant", "linear", "log", NULL};

static const struct field cadmm_fields[] = {
    FIELD_REAL(struct cadmm_options, rho_init, 0.5, 1e-12, 1e12, "penalty before the first round"),
    FIELD_REAL(struct cadmm_options, rho_scaling, 1, 1e-6, 1e6,
               "factor on the penalty at the start of every round"),
    FIELD_INT(struct cadmm_options, primal_iterations, 2, 1, 1e6,
              "number of primal steps in a round, each on its own mini-batch"),
    FIELD_CHOICE(struct cadmm_options, primal_optimizer, "adam", primal_optimizers,
                 "optimizer of the primal steps, with its default options"),
    FIELD_REAL(struct cadmm_options, primal_lr, 0, 0, 1e6,
               "its learning rate; 0: that of the run's optimizer and schedule"),
    FIELD_REAL(struct cadmm_options, primal_lr_end, 0, 0, 1e6,
               "its learning rate in the last round, unless lr_decay is constant"),
    FIELD_CHOICE(struct cadmm_options, lr_decay, "constant", lr_decays,
                 "how the rate changes from primal_lr to primal_lr_end over the rounds"),
    FIELD_BOOL(struct cadmm_options, persistent_primal_opt, false,
               "keep the optimizer's state, and its first rate, between rounds"),
    FIELD_CHOICE(struct cadmm_options, exchange, "as-received", exchanges,
                 "if links fail: use the models that arrive, only if both ends received one "
                 "(confirmed), or the last that arrived (stale)"),
    FIELD_LAST,
};

enum { P, MOMENT_1, MOMENT_2, CADMM_VECTORS };
enum { RHO, STEPS, SLACK, CADMM_NUMBERS };

struct cadmm {
    struct mixing mixing;
    struct stale_copies copies; /* with exchange: stale */
    float *start;               /* [param_count], of scratch: x_i before the steps */
    struct choice chosen;
    struct optim primal;
};

/* Vectors besides the copies of stale models, which follow. */
static int own_vectors(const struct cadmm_options *o)
{
    return o->persistent_primal_opt ? CADMM_VECTORS : P + 1;
}

static int cadmm_vector_count(const void *options, int workers, bool is_server)
{
    const struct cadmm_options *o = options;

    (void)is_server;
    return own_vectors(o) + (o->exchange == EXCHANGE_STALE ? workers - 1 : 0);
}

static int cadmm_number_count(const void *options, int workers, bool is_server)
{
    const struct cadmm_options *o = options;

    (void)is_server;
    return CADMM_NUMBERS + (o->exchange == EXCHANGE_STALE ? workers : 0);
}

static enum algo_one_way cadmm_one_way(const void *options)
{
    const struct cadmm_options *o = options;

    return o->exchange == EXCHANGE_CONFIRMED ? ALGO_ONE_WAY_EXACT : ALGO_ONE_WAY_BIASED;
}

static int64_t cadmm_draws(const void *options, int64_t own_batches)
{
    const struct cadmm_options *o = options;

    (void)own_batches;
    return o->primal_iterations;
}

static const char *cadmm_optimizer(const void *options)
{
    const struct cadmm_options *o = options;

    return primal_optimizers[o->primal_optimizer];
}

static bool cadmm_spans_run(const void *options)
{
    const struct cadmm_options *o = options;

    return o->lr_decay != DECAY_CONSTANT && !o->persistent_primal_opt;
}

/* A persistent optimiser's memory is the worker's, so that checkpoints have it. */
static void lend_memory(struct cadmm *c, struct worker *w)
{
    CHECK(c->primal.vector_count <= CADMM_VECTORS - MOMENT_1 && c->primal.number_count <= 1);
    for (int i = 0; i < c->primal.vector_count; i++)
        c->primal.vectors[i] = w->vectors[MOMENT_1 + i];
    if (c->primal.number_count > 0)
        c->primal.numbers[0] = stored_real_get(&w->numbers[STEPS]);
}

static enum status cadmm_check(const struct algo_setting *s)
{
    const struct cadmm_options *o = s->options;

    TRY(mixing_check_plain(s));
    if (o->lr_decay == DECAY_CONSTANT)
        return STATUS_OK;
    if (!(o->primal_lr > 0) || !(o->primal_lr_end > 0))
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.lr_decay: %s needs primal_lr and primal_lr_end, both above 0",
                    lr_decays[o->lr_decay]);
    if (s->is_open_ended)
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.lr_decay: %s needs a known number of rounds, which a budget of "
                    "bytes or seconds does not give",
                    lr_decays[o->lr_decay]);
    return STATUS_OK;
}

/* Old models are on one side of a link only, whichever way it has failed. */
static void begin_exchange(struct cadmm *c, struct worker *w)
{
    const struct cadmm_options *o = w->options;

    c->mixing.is_confirmed = o->exchange == EXCHANGE_CONFIRMED;
    if (c->mixing.is_confirmed)
        c->mixing.keeps_mean = true;
    if (o->exchange != EXCHANGE_STALE)
        return;
    c->copies = (struct stale_copies){
        .vectors = w->vectors + own_vectors(o),
        .known = w->numbers + CADMM_NUMBERS,
    };
    c->mixing.keeps_mean = w->topology == NULL || !topology_facts(w->topology).changes;
}

static enum status cadmm_begin(struct worker *w)
{
    const struct cadmm_options *o = w->options;
    struct cadmm *c = MEM_NEW(struct cadmm);

    w->memory = c;
    mixing_init(&c->mixing, w);
    begin_exchange(c, w);
    choice_init(&c->chosen, registry_find(&optim_registry, primal_optimizers[o->primal_optimizer]));
    optim_init(&c->primal, &c->chosen, w->layout);
    if (o->persistent_primal_opt)
        lend_memory(c, w);
    if (!w->is_resumed)
        stored_real_set(&w->numbers[RHO], o->rho_init);
    return STATUS_OK;
}

static void cadmm_end(struct worker *w)
{
    struct cadmm *c = w->memory;

    if (c == NULL)
        return;
    for (int i = 0; i < c->primal.vector_count; i++)
        c->primal.vectors[i] = NULL; /* the worker's, or scratch */
    optim_release(&c->primal);
    choice_release(&c->chosen);
    mem_free(c);
    w->memory = NULL;
}

/* The rate of a round, between the first and the last one of the run. */
static double primal_rate(const struct worker *w)
{
    const struct cadmm_options *o = w->options;
    const int64_t round = o->persistent_primal_opt ? 0 : w->round;
    const double done = w->rounds > 1 ? (double)round / (double)(w->rounds - 1) : 0;

    switch ((enum lr_decay)o->lr_decay) {
    case DECAY_CONSTANT:
        return o->primal_lr > 0 ? o->primal_lr : w->rates.lr;
    case DECAY_LINEAR:
        return o->primal_lr + (o->primal_lr_end - o->primal_lr) * done;
    case DECAY_LOG:
        return o->primal_lr * portable_pow(o->primal_lr_end / o->primal_lr, done);
    }
    BUG("decay out of range");
}

/* An optimiser that restarts in every round keeps its vectors in scratch. */
static void begin_steps(struct worker *w, struct cadmm *c)
{
    const struct cadmm_options *o = w->options;
    struct optim *primal = &c->primal;

    c->start = scratch_take(&w->scratch);
    memcpy(c->start, w->state, (size_t)c->mixing.params * sizeof *c->start);
    if (o->persistent_primal_opt)
        return;
    for (int i = 0; i < primal->vector_count; i++) {
        primal->vectors[i] = scratch_take(&w->scratch);
        memset(primal->vectors[i], 0, (size_t)primal->n * sizeof **primal->vectors);
    }
    for (int i = 0; i < primal->number_count; i++)
        primal->numbers[i] = 0;
}

static void end_steps(struct worker *w, struct cadmm *c)
{
    const struct cadmm_options *o = w->options;

    for (int i = 0; i < c->primal.vector_count && !o->persistent_primal_opt; i++) {
        scratch_give(&w->scratch, c->primal.vectors[i]);
        c->primal.vectors[i] = NULL;
    }
    scratch_give(&w->scratch, c->start);
    c->start = NULL;
    mixing_end_lag(&c->mixing, w);
}

static enum status exchange_models(struct worker *w, struct cadmm *c)
{
    const struct mixing_vector x = mixing_state(&c->mixing, w->state);

    if (c->copies.vectors == NULL)
        return mixing_exchange(&c->mixing, w, &x, MIXING_BY_ONE);
    TRY(mixing_send(&c->mixing, w, &x, MIXING_ALL));
    return stale_copies_receive(&c->copies, &c->mixing, w, &x, MIXING_BY_ONE);
}

/* Exchanges with the neighbours and moves the dual; lag / rho is what the penalty needs of them. */
static enum status dual_step(struct worker *w, struct cadmm *c, double rho)
{
    struct mixing *m = &c->mixing;

    TRY(exchange_models(w, c));
    mixing_add(w, w->vectors[P], -rho, m->lag, m->params);
    mixing_add(w, w->state + m->params, 1, m->lag + m->params, m->count - m->params);
    TRY(worker_report_vectors(w, &(struct vector_work){m->count, 2, 3}));
    return mixing_check_duals(w, m, &(struct mixing_duals){w->vectors[P], rho, &w->numbers[SLACK]});
}

/* gradient += p + 2 rho d (x - start) - rho lag, with d neighbours in the lag */
static void add_penalty(struct worker *w, const struct cadmm *c, double rho)
{
    const struct mixing *m = &c->mixing;
    const float pull = (float)(2 * rho * m->used), push = (float)rho;
    const float *p = w->vectors[P];

    for (int64_t i = 0; i < m->params; i++)
        w->gradient[i] += p[i] + pull * (w->state[i] - c->start[i]) - push * m->lag[i];
}

static enum status cadmm_round(struct worker *w)
{
    const struct cadmm_options *o = w->options;
    const struct optim_rates rates = {.lr = primal_rate(w), .momentum = -1};
    const double rho = stored_real_get(&w->numbers[RHO]) * o->rho_scaling;
    struct cadmm *c = w->memory;

    stored_real_set(&w->numbers[RHO], rho);
    mixing_find_neighbours(&c->mixing, w);
    TRY(dual_step(w, c, rho));
    begin_steps(w, c);
    for (int64_t i = 0; i < o->primal_iterations; i++) {
        TRY(mixing_gradient(w));
        add_penalty(w, c, rho);
        TRY(worker_report_vectors(w, &(struct vector_work){c->mixing.params, 6, 6}));
        worker_apply(w, &c->primal, w->state, w->gradient, rates);
        TRY(worker_report_update(w, &c->primal));
    }
    if (c->primal.number_count > 0)
        stored_real_set(&w->numbers[STEPS], c->primal.numbers[0]);
    end_steps(w, c);
    return STATUS_OK;
}

#define CADMM_ALGO(title, line)                                                                 \
    {                                                                                           \
        .entry = {.name = (title),                                                              \
                  .summary = (line),                                                            \
                  .fields = cadmm_fields,                                                       \
                  .options_size = sizeof(struct cadmm_options)},                                \
        .kind = ALGO_LOCKSTEP, .run_model = ALGO_RUN_MODEL_EACH, .limit = ALGO_LIMIT_OPTIMUM,   \
        .one_worker = ALGO_ONE_WORKER_SAME_BITS, .bytes = "L * 4 * S",                          \
        .test_options = "primal_optimizer: sgd", .needs_graph = true,                           \
        .graph_need = ALGO_GRAPH_BOTH_WAYS, .one_way = cadmm_one_way, .message_count = 1,       \
        .scratch_count = 5, .check = cadmm_check, .vector_count = cadmm_vector_count,           \
        .draws = cadmm_draws, .optimizer = cadmm_optimizer, .number_count = cadmm_number_count, \
        .begin = cadmm_begin, .round = cadmm_round, .spans_run = cadmm_spans_run,               \
        .end = cadmm_end,                                                                       \
    }

const struct algo_ops cadmm_algo =
    CADMM_ALGO("cadmm", "consensus ADMM over a graph, its inner problem solved by a few steps");
const struct algo_ops dinno_algo = CADMM_ALGO("dinno", "another name of cadmm");
