/*
 * supervised_gradient.c - the gradient of a mini-batch, by pieces that go through the model one
 * after the other: forward, loss, backward.
 *
 * The loss of a piece is divided by the samples of the whole round, so the gradient of the batch is
 * the plain sum of its pieces, in their order. Some models add to the gradient themselves
 * (model_piece). For others each further piece has a gradient of its own, which is added here.
 *
 * BatchNorm sees a piece as a batch: it normalises by the piece's statistics and moves the running
 * ones with each piece. Where raw statistics are asked for, they are the mean of the pieces' own,
 * by their samples.
 */
#include <string.h>

#include "base/clock.h"
#include "problem/supervised_internal.h"

/* A batch on its way to its gradient. */
struct batch_gradient {
    struct problem *problem;
    struct supervised_job job; /* of the present piece */
    float *state, *gradient;
    struct batch_result *result; /* so far */
};

static struct supervised *of(struct problem *p)
{
    return (struct supervised *)p;
}

static bool is_first(const struct batch_gradient *b)
{
    return b->job.first == 0;
}

static bool is_last(const struct batch_gradient *b)
{
    return b->job.first + b->job.count == b->problem->batch_size;
}

static void add_correct(const struct loss_batch *b, struct batch_result *result)
{
    for (int64_t i = 0; b->labels != NULL && i < b->batch; i++) {
        const int64_t rank = supervised_rank(b->output + i * b->outputs, b->outputs, b->labels[i]);

        result->correct += rank == 0;
        result->correct5 += rank < 5;
    }
}

static enum status gather_timed(struct supervised_job *j, struct model_timer *timer)
{
    const double start = timer == NULL ? 0.0 : clock_seconds();
    const enum status s = supervised_gather(j);

    if (timer != NULL)
        timer->input += clock_seconds() - start;
    return s;
}

/* --- statistics --- */

/* Whether raw statistics of several pieces are to be joined. */
static bool joins_statistics(const struct batch_gradient *b)
{
    return b->job.s->is_fresh && b->problem->raw_statistics && b->job.context->piece != NULL &&
           !(is_first(b) && is_last(b));
}

/* A pass that has no statistics of its own leaves what is there: the running ones. */
static void ask_for_statistics(const struct batch_gradient *b, struct model_pass *pass)
{
    const int64_t params = b->problem->param_count, count = b->problem->state_count;
    float *piece = b->job.context->piece;

    if (!b->job.s->is_fresh)
        return;
    pass->update_state = b->state;
    pass->batches_tracked = b->job.s->setup.batches_tracked;
    pass->raw_statistics = b->problem->raw_statistics;
    if (!joins_statistics(b))
        return;
    memcpy(piece + params, b->state + params, (size_t)(count - params) * sizeof *piece);
    pass->update_state = piece;
}

/* Sums are exact where all pieces have the same value, so that their mean is that value. */
static void join_statistics(const struct batch_gradient *b)
{
    const int64_t params = b->problem->param_count, buffers = b->problem->state_count - params;
    const float *piece = b->job.context->piece;
    double *sums = b->job.context->sums;

    if (!joins_statistics(b))
        return;
    for (int64_t k = 0; k < buffers; k++)
        sums[k] = (is_first(b) ? 0 : sums[k]) + (double)b->job.count * (double)piece[params + k];
    for (int64_t k = 0; k < buffers && is_last(b); k++)
        b->state[params + k] = (float)(sums[k] / (double)b->problem->batch_size);
}

/* --- gradient --- */

static void add_share(void *context, int thread, int threads)
{
    const struct batch_gradient *b = context;
    int64_t begin = 0, end = 0;

    team_part(b->problem->param_count, thread, threads, &begin, &end);
    kernel_get()->add(b->gradient + begin, b->gradient + begin, b->job.context->piece + begin,
                      end - begin);
}

/* With room of its own a further piece is computed there; its ranges are finished all at once. */
static void backward_piece(struct batch_gradient *b, const struct model_pass *pass,
                           const float *doutput)
{
    const struct model *m = b->job.s->setup.model;
    const struct gradient_hook *hook = is_last(b) ? b->problem->hook : NULL;

    if (is_first(b) || b->job.context->piece == NULL) {
        model_backward(m, pass, doutput, b->gradient, hook, NULL);
        return;
    }
    model_backward(m, pass, doutput, b->job.context->piece, NULL, NULL);
    team_run(pass->team, add_share, b);
    if (hook != NULL)
        hook->finished(hook->context, 0, b->problem->param_count);
}

/* From a piece of the batch to its part of the gradient. */
static enum status add_piece(struct batch_gradient *b)
{
    struct problem *p = b->problem;
    struct supervised_job *j = &b->job;
    struct model_pass pass = supervised_pass(j, b->state);

    TRY(gather_timed(j, p->timer));
    pass.timer = p->timer;
    pass.adds = !is_first(b) && j->context->piece == NULL;
    ask_for_statistics(b, &pass);
    struct loss_batch loss =
        supervised_loss(j, model_forward(j->s->setup.model, &pass, PASS_TRAIN));

    join_statistics(b);
    loss.doutput = workspace_output_gradient(j->context->work);
    loss.scale = 1.0 / (double)(p->global_batch > 0 ? p->global_batch : p->batch_size);
    j->s->setup.loss->compute(&loss);
    add_correct(&loss, b->result);
    backward_piece(b, &pass, loss.doutput);
    return STATUS_OK;
}

enum status supervised_gradient(struct problem *p, float *state, float *gradient,
                                struct batch_result *result)
{
    struct supervised *s = of(p);
    struct batch_gradient b = {
        .problem = p,
        .job = supervised_job(s, compute_pool_take(s->setup.pool), &s->drawn),
        .state = state,
        .gradient = gradient,
        .result = result,
    };
    enum status status = STATUS_OK;

    *result = (struct batch_result){.samples = s->drawn.size};
    b.job.prepared = s->prepared;
    for (; supervised_next_piece(&b.job) && status == STATUS_OK; b.job.first += b.job.count)
        status = add_piece(&b);
    s->is_fresh = false;
    result->replaced = s->prepared != NULL && status == STATUS_OK ? s->prepared->replaced : 0;
    result->loss_sum = loss_sum(b.job.context->losses, s->drawn.size);
    compute_pool_give(s->setup.pool, b.job.context);
    return status;
}
