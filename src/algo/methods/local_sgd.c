/*
 * local_sgd.c - local SGD: workers step alone, and every H rounds their models are averaged.
 *
 *     x_i  <-  x_i - a_k direction(grad f_i(x_i; batch k))
 *     x_i  <-  mean of x_j                               after every H-th round, and after the last
 *
 * Post-local SGD averages after every round until the epoch `post_local`, and only then every H.
 * The optimiser's memory (momentum, Adam's means) stays with its worker, or is averaged with the
 * model, or is forgotten at each average.
 *
 * Stich: "Local SGD Converges Fast and Communicates Little", 2019, Alg. 1.
 * Lin, Stich, Patel, Jaggi: "Don't Use Large Mini-Batches, Use Local SGD", 2020.
 */
#include "algo/list.h"
#include "algo/parts/average.h"
#include "algo/parts/invariant.h"

struct local_sgd_options {
    int64_t period;
    double post_local;
    int optimizer_state; /* enum optimizer_state */
};

enum optimizer_state { OPTIMIZER_LOCAL, OPTIMIZER_AVERAGE, OPTIMIZER_RESET };
static const char *const optimizer_states[] = {"local", "average", "reset", NULL};

static const struct field local_sgd_fields[] = {
    FIELD_INT(struct local_sgd_options, period, 16, 1, 1e9, "rounds between two averages"),
    FIELD_REAL(struct local_sgd_options, post_local, 0, 0, 1e9,
               "epoch from which the period counts; before it every round ends with an average"),
    FIELD_CHOICE(struct local_sgd_options, optimizer_state, "local", optimizer_states,
                 "what an average does to momentum and Adam's means: nothing, the same, or zero"),
    FIELD_LAST,
};

enum { STEPS, LOCAL_SGD_NUMBERS }; /* STEPS: since the last average */

static int local_sgd_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return LOCAL_SGD_NUMBERS;
}

/* The last average may be one that a longer run would not have had there. */
static bool local_sgd_spans_run(const void *options)
{
    const struct local_sgd_options *o = options;

    return o->period > 1;
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

static enum status local_sgd_join(struct worker *w)
{
    const struct local_sgd_options *o = w->options;
    struct average mean;

    if (!is_time_to_average(w))
        return STATUS_OK;
    TRY(average_begin(&mean, w, w->numbers[STEPS] > 0));
    TRY(average_state(&mean, w));
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
    .number_count = local_sgd_number_count,
    .spans_run = local_sgd_spans_run,
    .round = local_sgd_round,
    .join = local_sgd_join,
};
