/*
 * local_sgd.c - local SGD: workers step alone, and every H rounds their models are averaged.
 *
 *     x_i  <-  x_i - a_k direction(grad f_i(x_i; batch k))
 *     x_i  <-  mean of x_j                               after every H-th round, and after the last
 *
 * With an outer optimiser workers share a model theta. The mean says where it is to go:
 *
 *     theta  <-  outer step from theta, with D = theta - mean of x_j as the gradient;  x_i <- theta
 *
 * DiLoCo is AdamW with outer SGD, momentum and Nesterov. SlowMo is outer SGD whose momentum is kept
 * in units of the learning rate g of the workers (outer_scale: lr): u <- mu u + D / g and theta <-
 * theta - lr g u. Here m = g u is what the outer optimiser remembers, so m <- mu (g / g_before) m +
 * D and theta <- theta - lr m: where g is constant, the bits are those of plain outer SGD.
 * Between averages the run model is theta.
 *
 * Post-local SGD averages after every round until the epoch `post_local`, and only then every H.
 * The optimiser's memory (momentum, Adam's means) stays with its worker, or is averaged with the
 * model, or is forgotten at each average.
 *
 * Stich: "Local SGD Converges Fast and Communicates Little", 2019, Alg. 1.
 * Lin, Stich, Patel, Jaggi: "Don't Use Large Mini-Batches, Use Local SGD", 2020.
 * Wang, Tantia, Ballas, Rabbat: "SlowMo", 2020, Alg. 1.
 * Douillard et al.: "DiLoCo: Distributed Low-Communication Training of Language Models", 2023.
 */
#include "algo/list.h"
#include "algo/parts/average.h"
#include "algo/parts/invariant.h"
#include "algo/parts/outer_step.h"
#include "algo/parts/stored_real.h"

struct local_sgd_options {
    int64_t period;
    double post_local;
    int optimizer_state; /* enum optimizer_state */
    struct choice outer, outer_schedule;
    int outer_scale; /* enum outer_scale */
};

enum optimizer_state { OPTIMIZER_LOCAL, OPTIMIZER_AVERAGE, OPTIMIZER_RESET };
static const char *const optimizer_states[] = {"local", "average", "reset", NULL};

enum outer_scale { SCALE_NONE, SCALE_LR };
static const char *const outer_scales[] = {"none", "lr", NULL};

static const struct field local_sgd_fields[] = {
    FIELD_INT(struct local_sgd_options, period, 16, 1, 1e9, "rounds between two averages"),
    FIELD_REAL(struct local_sgd_options, post_local, 0, 0, 1e9,
               "epoch from which the period counts; before it every round ends with an average"),
    FIELD_CHOICE(struct local_sgd_options, optimizer_state, "local", optimizer_states,
                 "momentum and Adam's means at an average: kept, averaged, or set to zero"),
    FIELD_SECTION(
        struct local_sgd_options, outer, NULL, &optim_registry,
        "optimizer that moves a shared model towards each average (DiLoCo, SlowMo); none: "
        "workers take the average"),
    FIELD_SECTION(struct local_sgd_options, outer_schedule, "constant", &schedule_registry,
                  "schedule of its learning rate, over the rounds of the run"),
    FIELD_CHOICE(struct local_sgd_options, outer_scale, "none", outer_scales,
                 "lr: the momentum of outer sgd changes with the workers' learning rate (SlowMo)"),
    FIELD_LAST,
};

enum { THETA, OUTER_VECTORS };
enum { STEPS, LOCAL_SGD_NUMBERS };                   /* STEPS: since the last average */
enum { LAST_LR = LOCAL_SGD_NUMBERS, OUTER_NUMBERS }; /* LAST_LR: at the last average */

static bool has_outer(const struct local_sgd_options *o)
{
    return o->outer.entry != NULL;
}

static int local_sgd_vector_count(const void *options, int workers, bool is_server)
{
    (void)workers;
    (void)is_server;
    return has_outer(options) ? OUTER_VECTORS : 0;
}

static int local_sgd_alike_count(const void *options)
{
    return has_outer(options) ? OUTER_VECTORS : 0;
}

static int local_sgd_number_count(const void *options, int workers, bool is_server)
{
    (void)workers;
    (void)is_server;
    return has_outer(options) ? OUTER_NUMBERS : LOCAL_SGD_NUMBERS;
}

static const struct choice *local_sgd_outer(const void *options)
{
    return &((const struct local_sgd_options *)options)->outer;
}

static const float *local_sgd_run_model(const struct worker *w)
{
    return has_outer(w->options) ? w->vectors[THETA] : NULL;
}

/* The last average may be one that a longer run would not have had there. */
static bool local_sgd_spans_run(const void *options)
{
    const struct local_sgd_options *o = options;

    return o->period > 1 || (has_outer(o) && schedule_spans_run(&o->outer_schedule));
}

/* --- what it refuses --- */

static enum status check_without_outer(const struct local_sgd_options *o)
{
    if (o->outer_scale != SCALE_NONE)
        return FAIL(STATUS_BAD_INPUT, "algorithm.outer_scale: there is no outer optimizer; choose "
                                      "one, such as outer: {name: sgd, lr: 1, momentum: 0.7}");
    if (o->outer_schedule.entry != registry_find(&schedule_registry, "constant"))
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.outer_schedule: there is no outer optimizer; choose "
                    "one, such as outer: {name: sgd, lr: 0.7, momentum: 0.9}");
    return STATUS_OK;
}

static enum status local_sgd_check(const struct algo_setting *s)
{
    const struct local_sgd_options *o = s->options;

    if (!has_outer(o))
        return check_without_outer(o);
    if (o->outer_scale == SCALE_LR && o->outer.entry != registry_find(&optim_registry, "sgd"))
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.outer_scale: lr is a rule for the momentum of outer sgd, not for "
                    "outer %s; leave it out",
                    o->outer.entry->name);
    if (s->is_open_ended && schedule_spans_run(&o->outer_schedule))
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.outer_schedule: %s needs a known number of rounds, which a budget "
                    "of bytes or seconds does not give",
                    o->outer_schedule.entry->name);
    return outer_step_check(&o->outer, "algorithm.outer");
}

/* --- rounds --- */

static enum status local_sgd_begin(struct worker *w)
{
    if (has_outer(w->options) && !w->is_resumed)
        memcpy(w->vectors[THETA], w->state, (size_t)w->layout->state_count * sizeof *w->state);
    return STATUS_OK;
}

static bool is_time_to_average(const struct worker *w)
{
    const struct local_sgd_options *o = w->options;

    return w->is_last || w->epoch < o->post_local || (w->round + 1) % o->period == 0;
}

static enum status local_sgd_round(struct worker *w)
{
    TRY(worker_local_step(w));
    w->numbers[STEPS] += w->result.gradients;
    return STATUS_OK;
}

/* SlowMo: what the outer optimiser remembers is a multiple of the workers' learning rate. One of 0
 * would forget it for ever, and leaves it as it is. */
static void scale_momentum(struct worker *w)
{
    const double before = stored_real_get(&w->numbers[LAST_LR]), now = w->rates.lr;
    struct optim *outer = w->outer;

    if (!(now > 0))
        return;
    for (int i = 0; i < outer->vector_count && before > 0 && now != before; i++)
        if (outer->vectors[i] != NULL)
            outer->kernel->scale(outer->vectors[i], (float)(now / before), outer->n);
    stored_real_set(&w->numbers[LAST_LR], now);
}

static enum status step_outer(struct worker *w)
{
    const struct local_sgd_options *o = w->options;

    if (!has_outer(o))
        return STATUS_OK;
    if (o->outer_scale == SCALE_LR)
        scale_momentum(w);
    outer_step(w, w->vectors[THETA], &o->outer_schedule);
    TRY(worker_report_vectors(w, &(struct vector_work){w->outer->n, 4, 6}));
    return worker_report_update(w, w->outer);
}

static enum status local_sgd_join(struct worker *w)
{
    const struct local_sgd_options *o = w->options;
    struct average mean;

    if (!is_time_to_average(w))
        return STATUS_OK;
    TRY(average_begin(&mean, w, w->numbers[STEPS] > 0));
    TRY(average_state(&mean, w));
    TRY(step_outer(w));
    TRY(invariant_alike(w, w->state, w->optim->n));
    if (o->optimizer_state == OPTIMIZER_AVERAGE)
        TRY(average_optimizer(&mean, w));
    if (o->optimizer_state == OPTIMIZER_RESET)
        optim_reset(w->optim);
    w->numbers[STEPS] = 0;
    return STATUS_OK;
}

const struct algo_ops local_sgd_algo = {
    .entry = {.name = "local-sgd",
              .also = "diloco slowmo post-local-sgd",
              .summary = "workers train alone, and their models are averaged every few rounds",
              .fields = local_sgd_fields,
              .options_size = sizeof(struct local_sgd_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_MEAN,
    .limit = ALGO_LIMIT_BIASED,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "2 * (W - 1) * (4 * S + 8) / period",
    .test_options = "period: 4",
    .more_test_options = "period: 4, outer: {name: sgd, lr: 0.7, momentum: 0.5, nesterov: true}",
    .vector_count = local_sgd_vector_count,
    .alike_count = local_sgd_alike_count,
    .number_count = local_sgd_number_count,
    .outer_optimizer = local_sgd_outer,
    .run_model_vector = local_sgd_run_model,
    .spans_run = local_sgd_spans_run,
    .check = local_sgd_check,
    .begin = local_sgd_begin,
    .round = local_sgd_round,
    .join = local_sgd_join,
};
