/*
 * dsgd.c - decentralised SGD: mix with the neighbours, and step along the own gradient.
 *
 *     awc   x_i  <-  sum_j W_ij x_j  -  a_k grad f_i(x_i)              adapt while combining
 *     atc   x_i  <-  sum_j W_ij (x_j - a_k grad f_j(x_j))              adapt, then combine
 *     cta   z_i = sum_j W_ij x_j;  x_i  <-  z_i - a_k grad f_i(z_i)    combine, then adapt
 *
 * The step is the run's optimiser on the own gradient; its memory stays with the node. With `mu`
 * the rate is a_(k+1) = a_k (1 - mu a_k).
 *
 * Not here: the weights W (graph/topology.h), other schedules of a_k (optim/).
 *
 * Lian et al.: "Can Decentralized Algorithms Outperform Centralized Algorithms?", 2017, Alg. 1.
 */
#include "algo/list.h"
#include "algo/parts/mixing.h"
#include "algo/parts/stored_real.h"
#include "base/check.h"

struct dsgd_options {
    int form; /* enum dsgd_form */
    double alpha, mu;
    bool in_place;
};

enum dsgd_form { FORM_AWC, FORM_ATC, FORM_CTA };
static const char *const dsgd_forms[] = {"awc", "atc", "cta", NULL};

static const struct field dsgd_fields[] = {
    FIELD_CHOICE(struct dsgd_options, form, "awc", dsgd_forms,
                 "gradient step during mixing, before it (atc), or after it (cta)"),
    FIELD_REAL(struct dsgd_options, alpha, 0, 0, 1e6,
               "step size; 0: the learning rate of optimizer and schedule"),
    FIELD_REAL(struct dsgd_options, mu, 0, 0, 1e6,
               "decay of alpha: a <- a (1 - mu a) before each round; needs alpha"),
    FIELD_BOOL(struct dsgd_options, in_place, false,
               "mix node by node, seeing what lower-numbered nodes have mixed already; for "
               "comparison only, with form cta"),
    FIELD_LAST,
};

enum { ALPHA, DSGD_NUMBERS };

static int dsgd_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return DSGD_NUMBERS;
}

static enum status dsgd_check(const struct algo_setting *s)
{
    const struct dsgd_options *o = s->options;

    if (o->mu > 0 && !(o->alpha > 0))
        return FAIL(STATUS_BAD_INPUT, "algorithm.mu: %g needs algorithm.alpha, which it shrinks",
                    o->mu);
    if (o->in_place && o->form != FORM_CTA)
        return FAIL(STATUS_BAD_INPUT, "algorithm.in_place: needs form cta, not %s",
                    dsgd_forms[o->form]);
    return STATUS_OK;
}

static enum status dsgd_begin(struct worker *w)
{
    const struct dsgd_options *o = w->options;

    if (!w->is_resumed)
        stored_real_set(&w->numbers[ALPHA], o->alpha);
    return mixing_begin(w);
}

static void choose_rate(struct worker *w)
{
    const struct dsgd_options *o = w->options;
    double alpha = stored_real_get(&w->numbers[ALPHA]);

    if (!(o->alpha > 0))
        return;
    alpha *= 1 - o->mu * alpha;
    stored_real_set(&w->numbers[ALPHA], alpha);
    w->rates.lr = alpha;
}

static enum status combine(struct worker *w)
{
    struct mixing *m = w->memory;
    const struct mixing_vector x = mixing_state(m, w->state);

    TRY(mixing_exchange(m, w, &x, MIXING_BY_MATRIX));
    return mixing_apply(m, w);
}

/* Lower-numbered nodes answer with what they have mixed: node after node, and the mean moves. */
static enum status combine_in_place(struct worker *w)
{
    struct mixing *m = w->memory;
    const struct mixing_vector x = mixing_state(m, w->state);

    TRY(mixing_send(m, w, &x, MIXING_LOWER));
    TRY(mixing_receive(m, w, &x, MIXING_BY_MATRIX));
    TRY(mixing_apply(m, w));
    return mixing_send(m, w, &x, MIXING_HIGHER);
}

/* worker_update clips it. */
static enum status raw_gradient(struct worker *w)
{
    problem_draw(w->problem);
    w->problem->global_batch = 0;
    return worker_gradient(w);
}

static enum status adapt_while_combining(struct worker *w)
{
    struct mixing *m = w->memory;

    TRY(mixing_exchange_state(m, w, MIXING_BY_MATRIX, raw_gradient));
    TRY(mixing_apply(m, w));
    if (w->problem->batch_size > 0)
        TRY(worker_update(w));
    return STATUS_OK;
}

static enum status dsgd_round(struct worker *w)
{
    const struct dsgd_options *o = w->options;

    choose_rate(w);
    mixing_find_neighbours(w->memory, w);
    switch ((enum dsgd_form)o->form) {
    case FORM_AWC:
        return adapt_while_combining(w);
    case FORM_ATC:
        TRY(worker_local_step(w));
        return combine(w);
    case FORM_CTA:
        TRY(o->in_place ? combine_in_place(w) : combine(w));
        return worker_local_step(w);
    }
    BUG("form out of range");
}

const struct algo_ops dsgd_algo = {
    .entry = {.name = "dsgd",
              .also = "d-psgd dpsgd gossip",
              .summary = "decentralised SGD: nodes mix their models with those of their neighbours",
              .fields = dsgd_fields,
              .options_size = sizeof(struct dsgd_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "L * 4 * S",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BALANCED,
    .one_way = mixing_one_way,
    .message_count = 1,
    .scratch_count = 3,
    .number_count = dsgd_number_count,
    .check = dsgd_check,
    .begin = dsgd_begin,
    .round = dsgd_round,
    .end = mixing_end,
};
