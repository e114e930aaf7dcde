/*
 * single.c - one worker: a gradient on the next mini-batch, and the optimiser's step.
 *
 *     x  <-  x - a_k direction(grad f(x; batch k))
 *
 * With L-BFGS a round is one call of its `minimize`, which evaluates the same batch several times.
 * A delay holds up each of these gradients.
 */
#include "algo/methods/single.h"

#include <math.h>

#include "algo/list.h"

/* L-BFGS looks at other points than the worker's own, but statistics live in the worker's state. */
static enum status evaluate_batch(void *context, const float *x, float *gradient, double *loss)
{
    struct worker *w = context;
    struct batch_result batch;

    if (x != w->state)
        return FAIL(STATUS_BAD_INPUT, "the optimiser asks for a gradient away from the state");
    const double start = transport_now(w->transport);
    TRY(problem_gradient(w->problem, w->state, gradient, &batch));
    TRY(worker_report_gradient(w, batch.samples));
    const double computed = transport_now(w->transport) - start;
    *loss = batch.loss_sum / (double)batch.samples;
    if (w->result.gradients > 0) { /* again the same batch, at a trial: it may step too far */
        w->result.gradients++;
        w->result.passes += batch.samples;
    } else {
        worker_note_batch(w, &batch);
        if (!isfinite(*loss))
            return FAIL(STATUS_DIVERGED, "the loss is %g", *loss);
    }
    return worker_delay(w, computed);
}

enum status single_round(struct worker *w)
{
    const struct objective objective = {
        .evaluate = evaluate_batch, .context = w, .teams = w->teams};
    double loss = 0;

    if (w->optim->ops->minimize == NULL)
        return worker_local_step(w);
    problem_draw(w->problem);
    worker_take_gradient(w);
    TRY(optim_minimize(w->optim, w->state, w->gradient, &objective, w->rates, &loss));
    return worker_report_update(w, w->optim);
}

const struct algo_ops single_algo = {
    .entry = {.name = "single",
              .also = "sgd serial",
              .summary = "one worker: plain SGD, Adam or L-BFGS steps"},
    .kind = ALGO_LOCKSTEP,
    .run_model = ALGO_RUN_MODEL_SAME,
    .limit = ALGO_LIMIT_OPTIMUM,
    .one_worker = ALGO_ONE_WORKER_SAME_BITS,
    .bytes = "0",
    .takes_minimizers = true,
    .one_worker_only = true,
    .round = single_round,
};
