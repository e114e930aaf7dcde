/*
 * next.c - NEXT: steps towards the minimiser of a local model of everybody's loss, with terms that
 * need not be smooth.
 *
 *     the run's loss is  mean_i f_i(x) + G(x),     G(x) = l1 |x|_1, and x within [low, high]
 *     t_i = argmin  y_i x + |x - x_i|^2 / (2 r) + G(x)
 *         = x_i - r y_i, shrunk by r l1 towards 0, and cut to [low, high]
 *     x_i  <-  sum_j W_ij (x_j + a_k (t_j - x_j)),     a_k = a_(k-1) (1 - mu a_(k-1))
 *     y_i  <-  sum_j W_ij y_j + grad f_i(x_i new) - grad f_i(x_i old)
 *
 * The paper's surrogate is the linear one, its tau is N / r: then its pi_i and grad f_i together
 * are N y_i. Without G it is dsgt with the step a r.
 *
 * Not here: how y follows (algo/parts/tracking.c).
 *
 * Di Lorenzo, Scutari: "NEXT: In-Network Nonconvex Optimization", 2016, Alg. 1.
 */
#include <math.h>

#include "algo/list.h"
#include "algo/parts/stored_real.h"
#include "algo/parts/tracking.h"

struct next_options {
    double step, a, mu;
    double l1, low, high;
    bool init_grads;
};

static const struct field next_fields[] = {
    FIELD_REAL(struct next_options, step, 0, 0, 1e6,
               "r, the inverse curvature of the local model; 0: the learning rate of optimizer and "
               "schedule"),
    FIELD_REAL(struct next_options, a, 1, 1e-9, 1, "initial fraction of the step to its minimiser"),
    FIELD_REAL(struct next_options, mu, 0.01, 0, 1, "decay of that fraction: a <- a (1 - mu a)"),
    FIELD_REAL(struct next_options, l1, 0, 0, 1e6, "weight of the sum of absolute values"),
    FIELD_REAL(struct next_options, low, -1e30, -1e30, 1e30, "smallest value of a parameter"),
    FIELD_REAL(struct next_options, high, 1e30, -1e30, 1e30, "largest value of a parameter"),
    FIELD_BOOL(struct next_options, init_grads, true,
               "compute a gradient at the start; false: the first round has no direction"),
    FIELD_LAST,
};

enum { SHARE = TRACKING_NUMBERS, NEXT_NUMBERS };

static int next_vector_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return TRACKING_VECTORS;
}

static int next_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return NEXT_NUMBERS;
}

static enum status next_check(const struct algo_setting *s)
{
    const struct next_options *o = s->options;

    TRY(mixing_check_plain(s));
    if (!(o->low <= o->high))
        return FAIL(STATUS_BAD_INPUT, "algorithm.low: %g is above high: %g", o->low, o->high);
    return STATUS_OK;
}

static float shrink(float x, float by)
{
    if (x > by)
        return x - by;
    return x < -by ? x + by : 0.0F;
}

/* The state becomes x + a (t - x). */
static void step_to_minimizer(struct worker *w, double share)
{
    const struct next_options *o = w->options;
    const double step = o->step > 0 ? o->step : w->rates.lr;
    const float r = (float)step, cut = (float)(step * o->l1), a = (float)share;
    const float low = (float)o->low, high = (float)o->high;
    const float *y = w->vectors[TRACKING_Y];

    for (int64_t i = 0; i < w->problem->param_count; i++) {
        const float x = w->state[i];
        const float t = fminf(fmaxf(shrink(x - r * y[i], cut), low), high);
        w->state[i] = a == 1.0F ? t : x + a * (t - x);
    }
}

/* The share of this round; the first has the option's own. */
static double next_share(struct worker *w)
{
    const struct next_options *o = w->options;
    const double last = stored_real_get(&w->numbers[SHARE]);
    const double share = last > 0 ? last * (1 - o->mu * last) : o->a;

    stored_real_set(&w->numbers[SHARE], share);
    return share;
}

static enum status next_round(struct worker *w)
{
    const struct next_options *o = w->options;
    struct mixing *m = w->memory;
    const struct mixing_vector x = mixing_state(m, w->state);

    mixing_find_neighbours(m, w);
    TRY(tracking_start(w, o->init_grads));
    TRY(tracking_send(w, m));
    step_to_minimizer(w, next_share(w));
    TRY(worker_report_vectors(w, &(struct vector_work){m->params, 8, 3}));
    TRY(mixing_exchange(m, w, &x, MIXING_BY_MATRIX));
    TRY(mixing_apply(m, w));
    return tracking_follow(w, m);
}

const struct algo_ops next_algo = {
    .entry = {.name = "next",
              .summary = "NEXT: gradient tracking with L1 and box terms, and steps that shrink",
              .fields = next_fields,
              .options_size = sizeof(struct next_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_EACH,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_ROUNDING,
    .bytes = "L * 4 * (S + P)",
    .test_options = "mu: 0",
    .needs_graph = true,
    .graph_need = ALGO_GRAPH_BALANCED,
    .one_way = mixing_one_way,
    .message_count = 2,
    .scratch_count = 3,
    .vector_count = next_vector_count,
    .number_count = next_number_count,
    .check = next_check,
    .begin = mixing_begin,
    .round = next_round,
    .end = mixing_end,
};
