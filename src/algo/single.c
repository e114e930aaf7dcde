/*
 * single.c - one worker: a gradient on the next mini-batch, and the optimiser's step.
 *
 *     x  <-  x - a_k direction(grad f(x; batch k))
 *
 * With L-BFGS a round is one call of its `minimize`, which evaluates the same batch several times.
 */
#include <math.h>

#include "algo/list.h"

/* L-BFGS looks at other points than the worker's own, but statistics live in the worker's state. */
static enum status evaluate_batch(void *context, const float *x, float *gradient, double *loss)
{
    struct worker *w = context;
    struct batch_result batch;

    if (x != w->state)
        return FAIL(STATUS_BAD_INPUT, "the optimiser asks for a gradient away from the state");
    problem_gradient(w->problem, w->state, gradient, &batch);
    *loss = batch.loss_sum / (double)batch.samples;
    if (w->result.gradients++ == 0) {
        w->result.batch = batch;
        if (!isfinite(
                *loss)) /* later points are trials: a line search may step too far and come back */
            return FAIL(STATUS_DIVERGED, "the loss is %g", *loss);
    }
    if (w->clip_norm > 0)
        w->result.gradient_norm =
            optim_clip(w->optim->kernel, gradient, w->problem->param_count, w->clip_norm);
    return STATUS_OK;
}

static enum status single_round(struct worker *w)
{
    const struct objective objective = {.evaluate = evaluate_batch, .context = w};
    double loss = 0;

    problem_draw(w->problem);
    if (w->optim->ops->minimize != NULL)
        return w->optim->ops->minimize(w->optim, w->state, w->gradient, &objective, w->rates,
                                       &loss);
    TRY(evaluate_batch(w, w->state, w->gradient, &loss));
    optim_update(w->optim, w->state, w->gradient, w->rates);
    return STATUS_OK;
}

const struct algo_ops single_algo = {
    .entry = {.name = "single", .summary = "one worker: plain SGD, Adam or L-BFGS steps"},
    .round = single_round,
};
