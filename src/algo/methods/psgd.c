/*
 * psgd.c - one-shot averaging: every worker trains alone to the end, then the models are averaged,
 * once.
 *
 *     x_i  <-  x_i - a_k direction(grad f_i(x_i; batch k))          at the end: x <- mean of x_i
 *
 * The mean of two networks is a network only if both went out from the same weights: the build
 * draws the same for all. `common_start: false` shows what happens otherwise, which is the mistake
 * that cost the study S003 its accuracy.
 *
 * Zinkevich, Weimer, Smola, Li: "Parallelized Stochastic Gradient Descent", 2010, Alg. 3.
 */
#include "algo/list.h"
#include "algo/parts/average.h"
#include "algo/parts/invariant.h"
#include "base/rng.h"

struct psgd_options {
    bool common_start;
};

static const struct field psgd_fields[] = {
    FIELD_BOOL(struct psgd_options, common_start, true,
               "start all workers with the same weights; false shows why this matters"),
    FIELD_LAST,
};

enum { STEPS, PSGD_NUMBERS };

static enum status psgd_check(const struct algo_setting *s)
{
    const struct psgd_options *o = s->options;

    if (o->common_start || !s->has_given_start)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "algorithm.common_start: false conflicts with train.init, with whose weights all "
                "workers start; leave out one of them");
}

static int psgd_number_count(const void *options, int workers, bool is_server)
{
    (void)options;
    (void)workers;
    (void)is_server;
    return PSGD_NUMBERS;
}

/* The average at the end is one that a longer run would not have had there. */
static bool psgd_spans_run(const void *options)
{
    (void)options;
    return true;
}

/* Worker 0 keeps the weights that the run has drawn, so that one worker is plain SGD either way. */
static enum status draw_own_start(struct worker *w)
{
    const int rank = worker_rank(w);
    const struct rng r = rng_make(w->seed, RNG_INIT, (uint32_t)rank);

    if (!problem_has_random_start(w->problem))
        return FAIL(STATUS_BAD_INPUT,
                    "algorithm.common_start: false needs a problem whose start is random, such as "
                    "a network");
    if (rank > 0)
        problem_initialize(w->problem, w->state, rng_bits(&r, 0, 0));
    return STATUS_OK;
}

static enum status psgd_begin(struct worker *w)
{
    const struct psgd_options *o = w->options;

    return w->is_resumed || o->common_start ? STATUS_OK : draw_own_start(w);
}

static enum status psgd_round(struct worker *w)
{
    TRY(worker_local_step(w));
    w->numbers[STEPS] += w->result.gradients;
    return STATUS_OK;
}

static enum status psgd_join(struct worker *w)
{
    struct average mean;

    if (!w->is_last)
        return STATUS_OK;
    TRY(average_begin(&mean, w, w->numbers[STEPS] > 0));
    TRY(average_state(&mean, w));
    return invariant_alike(w, w->state, w->optim->n);
}

const struct algo_ops psgd_algo = {
    .entry = {.name = "psgd",
              .also = "one-shot one-shot-averaging",
              .summary = "workers train alone, and their models are averaged once at the end",
              .fields = psgd_fields,
              .options_size = sizeof(struct psgd_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_MEAN,
    .limit = ALGO_LIMIT_MEAN_OF_OWN,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "0",
    .bytes_once = "2 * (W - 1) * (4 * S + 8)",
    .check = psgd_check,
    .number_count = psgd_number_count,
    .spans_run = psgd_spans_run,
    .begin = psgd_begin,
    .round = psgd_round,
    .join = psgd_join,
};
