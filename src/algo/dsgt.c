/*
 * dsgt.c - gradient tracking: nodes step along an estimate of everybody's mean gradient.
 *
 *     x_i  <-  sum_j W_ij (x_j - a y_j)
 *     y_i  <-  sum_j W_ij y_j + grad f_i(x_i new) - grad f_i(x_i old)      y_i = grad f_i at first
 *
 * mean(y) = mean(grad f) at all times, so that a constant step leaves no bias where nodes' data
 * differ. The step along y is the run's optimiser's.
 *
 * Not here: how y follows (algo/tracking.c), the weights W (comm/topology.h).
 *
 * Pu, Nedic: "Distributed stochastic gradient tracking methods", 2021. Di Lorenzo, Scutari: "NEXT",
 * 2016, for the combination of both sums.
 */
#include <string.h>

#include "algo/list.h"
#include "algo/tracking.h"

struct dsgt_options {
    double alpha;
    bool init_grads, in_place;
};

static const struct field dsgt_fields[] = {
    FIELD_REAL(struct dsgt_options, alpha, 0, 0, 1e6,
               "step size; 0: the optimiser's learning rate, and the schedule"),
    FIELD_BOOL(struct dsgt_options, init_grads, true,
               "begin with a gradient at the start; else the first round has no direction"),
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
    mixing_add(w, w->state, 1, m->lag, m->count);
    return STATUS_OK;
}

/* Higher-numbered nodes see the mixed x_i, less a y_i once more. */
static enum status combine_in_place(struct worker *w, struct mixing *m)
{
    struct mixing_vector v = mixing_state(m, w->state);

    TRY(mixing_tell(m, w, &v, MIXING_LOWER));
    TRY(mixing_hear(m, w, &v, MIXING_BY_MATRIX));
    mixing_add(w, w->state, 1, m->lag, m->count);
    memcpy(m->heard, w->state, (size_t)m->count * sizeof *m->heard);
    mixing_add(w, m->heard, -w->rates.lr, w->vectors[TRACKING_Y], m->params);
    v.x = m->heard;
    return mixing_tell(m, w, &v, MIXING_HIGHER);
}

static enum status dsgt_round(struct worker *w)
{
    const struct dsgt_options *o = w->options;
    struct mixing *m = w->memory;

    if (o->alpha > 0)
        w->rates.lr = o->alpha;
    mixing_look(m, w);
    TRY(tracking_start(w, o->init_grads));
    if (!o->in_place)
        TRY(tracking_tell(w, m));
    optim_update(w->optim, w->state, w->vectors[TRACKING_Y], w->rates);
    TRY(o->in_place ? combine_in_place(w, m) : combine(w, m));
    return o->in_place ? tracking_follow_in_place(w, m) : tracking_follow(w, m);
}

const struct algo_ops dsgt_algo = {
    .entry = {.name = "dsgt",
              .summary = "gradient tracking over a graph: no bias where nodes' data differ",
              .fields = dsgt_fields,
              .options_size = sizeof(struct dsgt_options)},
    .kind = ALGO_LOCKSTEP,
    .view = ALGO_VIEW_EACH,
    .needs_graph = true,
    .links = ALGO_LINKS_BALANCED,
    .work_count = 2,
    .vector_count = dsgt_vector_count,
    .number_count = dsgt_number_count,
    .check = dsgt_check,
    .begin = mixing_begin,
    .round = dsgt_round,
    .end = mixing_end,
};
