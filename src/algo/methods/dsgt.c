/*
 * dsgt.c - gradient tracking: nodes step along an estimate of everybody's mean gradient.
 *
 *     x_i  <-  sum_j W_ij (x_j - a y_j)
 *     y_i  <-  sum_j W_ij y_j + grad f_i(x_i new) - grad f_i(x_i old)      y_i = grad f_i at first
 *
 * mean(y) = mean(grad f) at all times, so that a constant step leaves no bias where nodes' data
 * differ. The step along y is the run's optimiser's.
 *
 * Not here: how y follows (algo/parts/tracking.c), the weights W (graph/topology.h).
 *
 * Pu, Nedic: "Distributed stochastic gradient tracking methods", 2021. Di Lorenzo, Scutari: "NEXT",
 * 2016, for the combination of both sums.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/parts/tracking.h"

struct dsgt_options {
    double alpha;
    bool init_grads, in_place;
};

static const struct field dsgt_fields[] = {
    FIELD_REAL(struct dsgt_options, alpha, 0, 0, 1e6,
               "step size; 0: the learning rate of optimizer and schedule"),
    FIELD_BOOL(struct dsgt_options, init_grads, true,
               "compute a gradient at the start; false: the first round has no direction"),
    FIELD_BOOL(struct dsgt_options, in_place, false,
               "mix node by node, seeing what lower-numbered nodes have mixed already; for "
               "comparison only"),
    FIELD_LAST,
};

static int dsgt_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return TRACKING_VECTORS;
}

static int dsgt_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return TRACKING_NUMBERS;
}

static enum status dsgt_check(const struct algo_setting *s)
{
    const struct dsgt_options *o = s->options;

    return o->in_place ? mixing_check_plain(s) : STATUS_OK;
}

static enum status combine(struct worker *w, struct mixing *m)
{
    const struct mixing_vector v = mixing_state(m, w->state);

    TRY(mixing_exchange(m, w, &v, MIXING_BY_MATRIX));
    return mixing_apply(m, w);
}

/* Higher-numbered nodes see the mixed x_i, less a y_i once more. */
static enum status combine_in_place(struct worker *w, struct mixing *m)
{
    struct mixing_vector v = mixing_state(m, w->state);

    TRY(mixing_send(m, w, &v, MIXING_LOWER));
    TRY(mixing_receive(m, w, &v, MIXING_BY_MATRIX));
    TRY(mixing_apply(m, w));
    float *next = scratch_take(&w->scratch);

    memcpy(next, w->state, (size_t)m->count * sizeof *next);
    mixing_add(w, next, -w->rates.lr, w->vectors[TRACKING_Y], m->params);
    v.x = next;
    TRY(mixing_send(m, w, &v, MIXING_HIGHER));
    scratch_give(&w->scratch, next);
    return STATUS_OK;
}

static enum status dsgt_round(struct worker *w)
{
    const struct dsgt_options *o = w->options;
    struct mixing *m = w->memory;

    if (o->alpha > 0)
        w->rates.lr = o->alpha;
    mixing_find_neighbours(m, w);
    TRY(tracking_start(w, o->init_grads));
    if (!o->in_place)
        TRY(tracking_send(w, m));
    worker_apply(w, w->optim, w->state, w->vectors[TRACKING_Y], w->rates);
    TRY(worker_report_update(w, w->optim));
    TRY(o->in_place ? combine_in_place(w, m) : combine(w, m));
    return o->in_place ? tracking_follow_in_place(w, m) : tracking_follow(w, m);
}

const struct algo_ops dsgt_algo = {
    .entry = {.name = "dsgt",
              .also = "gradient-tracking diging",
              .summary = "gradient tracking over a graph: no bias where nodes' data differ",
              .fields = dsgt_fields,
              .options_size = sizeof(struct dsgt_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_ROUNDING,
    .bytes = "L * 4 * (S + P)",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BALANCED,
    .one_way = mixing_one_way,
    .message_count = 2,
    .scratch_count = 3,
    .vector_count = dsgt_vector_count,
    .number_count = dsgt_number_count,
    .check = dsgt_check,
    .begin = mixing_begin,
    .round = dsgt_round,
    .end = mixing_end,
};
