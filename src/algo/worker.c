/*
 * worker.c - what most rounds are made of: a gradient with its delay, a step, an average.
 */
#include <math.h>
#include <string.h>

#include "algo/algo.h"

/* Sleeps as the run's delays say: a draw of this step, or computing stretched by a factor. */
static enum status apply_delay(struct worker *w, double computed)
{
    const int rank = worker_rank(w);
    const double factor = delay_compute_factor(w->delays, rank);
    const double drawn = delay_draw(w->delays, w->seed, rank, w->steps);
    const double seconds = drawn + (factor - 1.0) * computed;

    if (!(seconds > 0))
        return STATUS_OK;
    w->delayed += seconds;
    return transport_sleep(w->transport, seconds);
}

enum status worker_delay(struct worker *w, double computed)
{
    if (w->delays != NULL)
        TRY(apply_delay(w, computed));
    w->steps++;
    return STATUS_OK;
}

static void move_loss(struct worker *w, const struct batch_result *batch)
{
    const double loss = batch->loss_sum / (double)batch->samples;

    w->moving_loss =
        isnan(w->moving_loss) ? loss : (1 - w->loss_decay) * w->moving_loss + w->loss_decay * loss;
}

void worker_note_batch(struct worker *w, const struct batch_result *batch)
{
    if (batch->samples == 0)
        return;
    w->result.batch.samples += batch->samples;
    w->result.batch.loss_sum += batch->loss_sum;
    w->result.batch.correct += batch->correct;
    w->result.batch.correct5 += batch->correct5;
    w->result.batch.replaced += batch->replaced;
    w->result.passes += batch->samples;
    w->result.gradients++;
    move_loss(w, batch);
}

void worker_take_gradient(struct worker *w)
{
    if (w->gradient == NULL)
        w->gradient = scratch_take(&w->scratch);
}

void worker_give_gradient(struct worker *w)
{
    scratch_give(&w->scratch, w->gradient);
    w->gradient = NULL;
}

enum status worker_report_gradient(struct worker *w, int64_t samples)
{
    const struct problem_cost *cost = &w->problem->cost;

    return transport_work(
        w->transport, &(struct work){.flops = cost->flops * (double)samples, .bytes = cost->bytes});
}

enum status worker_report_vectors(struct worker *w, const struct vector_work *v)
{
    const double count = (double)v->count;

    return transport_work(w->transport,
                          &(struct work){.flops = v->operations * count,
                                         .bytes = v->vectors * count * sizeof(float)});
}

/* The parameters move along the gradient, and so does each vector that the optimiser remembers. */
enum status worker_report_update(struct worker *w, const struct optim *o)
{
    int own = 0;

    for (int i = 0; i < o->vector_count; i++)
        own += o->vectors[i] != NULL;
    return worker_report_vectors(w, &(struct vector_work){o->n, 2 + 4 * own, 3 + 2 * own});
}

enum status worker_gradient(struct worker *w)
{
    struct problem *p = w->problem;
    struct batch_result batch = {0};

    worker_take_gradient(w);
    if (p->batch_size == 0) {
        memset(w->gradient, 0, (size_t)p->param_count * sizeof *w->gradient);
        return STATUS_OK;
    }
    const double start = transport_now(w->transport);
    TRY(problem_gradient(p, w->state, w->gradient, &batch));
    TRY(worker_report_gradient(w, batch.samples));
    const double computed = transport_now(w->transport) - start;
    worker_note_batch(w, &batch);
    if (!isfinite(batch.loss_sum))
        return FAIL(STATUS_DIVERGED, "the loss is %g", batch.loss_sum / (double)batch.samples);
    return worker_delay(w, computed);
}

void worker_apply(struct worker *w, struct optim *o, float *x, const float *g,
                  struct optim_rates rates)
{
    struct team *team = w->teams == NULL ? NULL : team_pool_take(w->teams);

    optim_update(o, team, x, g, rates);
    if (team != NULL)
        team_pool_give(w->teams, team);
}

void worker_clip(struct worker *w)
{
    if (w->clip_norm > 0)
        w->result.gradient_norm =
            optim_clip(w->optim->kernel, w->gradient, w->optim->n, w->clip_norm);
}

enum status worker_step(struct worker *w)
{
    worker_apply(w, w->optim, w->state, w->gradient, w->rates);
    return worker_report_update(w, w->optim);
}

enum status worker_update(struct worker *w)
{
    worker_clip(w);
    return worker_step(w);
}

enum status worker_local_step(struct worker *w)
{
    problem_draw(w->problem);
    w->problem->global_batch = 0;
    if (w->problem->batch_size == 0)
        return STATUS_OK;
    TRY(worker_gradient(w));
    TRY(worker_update(w));
    worker_give_gradient(w);
    return STATUS_OK;
}

enum status worker_average(struct worker *w, float *x, int64_t count)
{
    const int workers = w->transport->workers;

    if (workers == 1)
        return STATUS_OK;
    TRY(transport_sum(w->transport, &(struct sum){.data = x, .count = count, .type = SUM_FLOAT}));
    w->optim->kernel->scale(x, 1.0F / (float)workers, count);
    return worker_report_vectors(w, &(struct vector_work){count, 1, 2});
}
