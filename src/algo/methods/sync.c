/*
 * sync.c - synchronous data parallelism: the gradient of everybody's batches together.
 *
 *     g_i = grad of the summed loss of worker i's batch / samples of all batches of this round
 *     g   = sum_i g_i, in rank order          x  <-  x - a direction(g)
 *
 * All workers make the same step, so their parameters stay alike without being sent. A worker
 * without data in this round adds nothing.
 *
 * Goyal et al.: "Accurate, Large Minibatch SGD", 2017, for the scaling of the learning rate.
 */
#include "algo/list.h"
#include "algo/methods/single.h"
#include "algo/parts/invariant.h"

struct sync_options {
    bool scale_lr;
    double warmup;
};

static const struct field sync_fields[] = {
    FIELD_BOOL(struct sync_options, scale_lr, false,
               "multiply the learning rate by the number of workers"),
    FIELD_REAL(struct sync_options, warmup, 0, 0, 1e9,
               "epochs of warm-up from the learning rate of one worker to the scaled one"),
    FIELD_LAST,
};

/* By what the learning rate is multiplied at this point of the run. */
static double lr_factor(const struct sync_options *o, double epoch, int workers)
{
    if (!o->scale_lr)
        return 1;
    if (epoch >= o->warmup)
        return workers;
    return 1 + (workers - 1) * epoch / o->warmup;
}

static enum status sync_round(struct worker *w)
{
    const int workers = w->transport->workers;

    if (workers == 1)
        return single_round(w);
    problem_draw(w->problem);
    w->problem->global_batch = w->problem->batch_total;
    TRY(worker_gradient(w));
    TRY(transport_sum(w->transport,
                      &(struct sum){.data = w->gradient, .count = w->optim->n, .type = SUM_FLOAT}));
    w->rates.lr *= lr_factor(w->options, w->epoch, workers);
    TRY(worker_update(w));
    return invariant_alike(w, w->state, w->optim->n);
}

const struct algo_ops sync_algo = {
    .entry = {.name = "sync",
              .also = "allreduce all-reduce ddp bsp",
              .summary = "all workers apply the sum of all gradients (all-reduce)",
              .fields = sync_fields,
              .options_size = sizeof(struct sync_options)},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "2 * (W - 1) * 4 * P",
    .work_count = 1,
    .round = sync_round,
};
