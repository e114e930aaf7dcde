/*
 * supervised.c - mini-batches of a data set through a model to a loss, and back.
 *
 * Here: gathering a batch, the passes, recalibration of statistics. Not here: evaluation
 * (supervised_evaluate.c), which samples are in a batch (batch_schedule.c), threads and memory to
 * compute with (compute_pool.c), the arithmetic (nn/).
 */
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "problem/list.h"
#include "problem/supervised_internal.h"
#include "problem/supervised_plan.h"

static struct supervised *of(struct problem *p)
{
    return (struct supervised *)p;
}

/* --- what gradient, evaluation and recalibration are made of --- */

struct supervised_job supervised_job(const struct supervised *s, struct compute_context *context,
                                     const struct scheduled_batch *batch)
{
    return (struct supervised_job){
        .s = s,
        .context = context,
        .part = &s->setup.gather->dataset->train,
        .batch = *batch,
        .count = batch->size,
    };
}

/* Gathering is split over the team: each thread fills whole samples. */
static void gather_share(void *argument, int thread, int threads)
{
    const struct supervised_job *j = argument;
    const struct compute_context *context = j->context;
    const struct gather *gather = j->s->setup.gather;
    const int64_t size = shape_size(j->s->setup.model->in);
    const int64_t target_size = gather->dataset->target_size;
    int64_t begin = 0;
    int64_t end = 0;

    team_part(j->count, thread, threads, &begin, &end);
    const int64_t *numbers = j->batch.samples + j->first + begin;
    const int64_t n = end - begin;

    gather_inputs(workspace_input(context->work) + begin * size, gather, j->part, numbers, n);
    if (context->labels != NULL)
        gather_labels(context->labels + j->first + begin, j->part, numbers, n);
    else
        gather_targets(context->targets + (j->first + begin) * target_size, j->part, target_size,
                       numbers, n);
}

void supervised_gather(struct supervised_job *j)
{
    team_run(j->context->team, gather_share, j);
}

/* A further pass of an epoch has another dropout, as it has another order. */
struct model_pass supervised_pass(const struct supervised_job *j, const float *state)
{
    return (struct model_pass){
        .team = j->context->team,
        .work = j->context->work,
        .batch = j->count,
        .state = state,
        .seed = sampler_pass_seed(j->s->setup.seed, j->batch.pass),
        .epoch = j->batch.epoch,
        .samples = j->batch.samples + j->first,
    };
}

struct loss_batch supervised_loss(const struct supervised_job *j, const float *output)
{
    const struct compute_context *context = j->context;
    const int64_t outputs = shape_size(j->s->setup.model->out);

    return (struct loss_batch){
        .kernel = kernel_get(),
        .team = context->team,
        .batch = j->count,
        .outputs = outputs,
        .output = output,
        .labels = context->labels == NULL ? NULL : context->labels + j->first,
        .targets = context->targets == NULL ? NULL : context->targets + j->first * outputs,
        .losses = context->losses + j->first,
        .scale = 1,
    };
}

int32_t supervised_answer(const float *output, int64_t outputs)
{
    int32_t best = 0;

    for (int32_t j = 1; j < outputs; j++)
        if (output[j] > output[best])
            best = j;
    return best;
}

static int64_t count_correct(const struct loss_batch *b)
{
    int64_t correct = 0;

    for (int64_t i = 0; b->labels != NULL && i < b->batch; i++)
        correct += supervised_answer(b->output + i * b->outputs, b->outputs) == b->labels[i];
    return correct;
}

/* --- gradient --- */

static void supervised_draw(struct problem *p)
{
    struct supervised *s = of(p);

    s->drawn = batch_schedule_next(&s->schedule);
    s->is_fresh = true;
    p->batch_size = s->drawn.size;
    p->batch_total = s->drawn.total;
}

static void gather_timed(struct supervised_job *j, struct model_timer *timer)
{
    const double start = timer == NULL ? 0.0 : clock_seconds();

    supervised_gather(j);
    if (timer != NULL)
        timer->input += clock_seconds() - start;
}

/* From a piece of the batch to its part of the gradient; answers how many it has right. */
static int64_t gradient_piece(struct problem *p, struct supervised_job *j, float *state,
                              float *gradient)
{
    const struct model *m = j->s->setup.model;
    const bool is_last = j->first + j->count == p->batch_size;
    struct model_pass pass = supervised_pass(j, state);

    gather_timed(j, p->timer);
    pass.timer = p->timer;
    pass.adds = j->first > 0;
    if (j->s->is_fresh) {
        pass.update_state = state;
        pass.batches_tracked = j->s->setup.batches_tracked;
        pass.raw_statistics = p->raw_statistics;
    }
    struct loss_batch loss = supervised_loss(j, model_forward(m, &pass, PASS_TRAIN));

    loss.doutput = workspace_output_gradient(j->context->work);
    loss.scale = 1.0 / (double)(p->global_batch > 0 ? p->global_batch : p->batch_size);
    j->s->setup.loss->compute(&loss);
    const int64_t correct = count_correct(&loss);

    model_backward(m, &pass, loss.doutput, gradient, is_last ? p->hook : NULL, NULL);
    return correct;
}

static enum status supervised_gradient(struct problem *p, float *state, float *gradient,
                                       struct batch_result *result)
{
    struct supervised *s = of(p);
    const int64_t batch = s->drawn.size, piece = compute_pool_piece(s->setup.pool);
    struct supervised_job j = supervised_job(s, compute_pool_take(s->setup.pool), &s->drawn);

    *result = (struct batch_result){.samples = batch};
    for (j.first = 0; j.first < batch; j.first += piece) {
        j.count = batch - j.first < piece ? batch - j.first : piece;
        result->correct += gradient_piece(p, &j, state, gradient);
    }
    s->is_fresh = false;
    result->loss_sum = loss_sum(j.context->losses, batch);
    compute_pool_give(s->setup.pool, j.context);
    return STATUS_OK;
}

/* --- recalibration --- */

/* Statistics of batches while they are added up. */
struct calibration {
    float *raw;               /* [state_count], of which the buffers are used */
    double *sums;             /* [state_count - param_count] */
    int64_t *batches_tracked; /* batches that each BatchNorm has counted */
};

/* Adds the statistics of one batch. Who counts no batch leaves the zeros. */
static void calibrate_on(struct calibration *c, struct supervised_job *j, const float *state)
{
    const struct model *m = j->s->setup.model;
    const int64_t buffers = m->state_count - m->param_count;
    float *raw = c->raw + m->param_count;
    struct model_pass pass = supervised_pass(j, state);

    memset(raw, 0, (size_t)buffers * sizeof *raw);
    supervised_gather(j);
    pass.update_state = c->raw;
    pass.batches_tracked = c->batches_tracked;
    pass.raw_statistics = true;
    model_forward(m, &pass, PASS_TRAIN);
    for (int64_t k = 0; k < buffers; k++)
        c->sums[k] += (double)raw[k];
}

static struct batch_schedule_setup schedule_setup_of(const struct supervised_setup *s)
{
    return (struct batch_schedule_setup){
        .split = s->split,
        .partition = s->partition,
        .worker = s->worker,
        .windows = s->windows,
        .seed = s->seed,
        .batch_size = s->batch_size,
        .epoch_batches = s->epoch_batches,
        .uneven = s->uneven,
    };
}

/* The first batches of the worker's own samples, at any time of the run. */
static void calibrate(struct calibration *c, const struct supervised *s, const float *state,
                      int64_t batches)
{
    struct batch_schedule_setup setup = schedule_setup_of(&s->setup);
    struct batch_schedule schedule;
    struct compute_context *context = compute_pool_take(s->setup.pool);

    setup.epoch_batches = 0;
    batch_schedule_init(&schedule, &setup);
    for (int64_t b = 0; b < batches && b < schedule.own_batches; b++) {
        const struct scheduled_batch batch = batch_schedule_next(&schedule);
        struct supervised_job j = supervised_job(s, context, &batch);
        calibrate_on(c, &j, state);
    }
    batch_schedule_release(&schedule);
    compute_pool_give(s->setup.pool, context);
}

static enum status supervised_recalibrate(struct problem *p, float *state, int64_t batches)
{
    const struct supervised *s = of(p);
    const struct model *m = s->setup.model;
    float *buffers = state + m->param_count;

    if (m->state_count == m->param_count)
        return STATUS_OK;

    struct calibration c = {
        .raw = MEM_NEW_N(float, m->state_count),
        .sums = MEM_NEW_N(double, m->state_count - m->param_count),
        .batches_tracked = MEM_NEW_N(int64_t, m->tracked_count),
    };

    model_reset_statistics(m, buffers);
    calibrate(&c, s, state, batches);
    model_average_statistics(m, buffers, c.sums, c.batches_tracked);
    mem_free(c.raw);
    mem_free(c.sums);
    mem_free(c.batches_tracked);
    return STATUS_OK;
}

/* --- life --- */

static void supervised_initialize(struct problem *p, float *state, uint64_t seed)
{
    model_initialize(of(p)->setup.model, state, seed);
}

static void supervised_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    batch_schedule_seek(&of(p)->schedule, epoch, batch);
    p->batch_size = p->batch_total = 0;
}

static void supervised_free(struct problem *p)
{
    struct supervised *s = of(p);

    batch_schedule_release(&s->schedule);
    if (s->setup.owns_pool)
        compute_pool_free(s->setup.pool);
    mem_free(s);
}

const struct problem_ops supervised_problem = {
    .entry = {.name = "supervised",
              .summary = "a network that learns the targets of a data set",
              .fields = supervised_fields,
              .options_size = sizeof(struct supervised_options)},
    .has_data = true,
    .check = supervised_check,
    .plan = supervised_plan_new,
    .plan_free = supervised_plan_free,
    .start = supervised_plan_start,
    .new = supervised_plan_problem,
    .evaluator = supervised_plan_evaluator,
    .fingerprint = supervised_fingerprint,
    .memory = supervised_memory,
    .images = supervised_images,
    .map = supervised_map,
    .grid_map = supervised_grid_map,
    .write_files = supervised_write_files,
    .position = supervised_position,
    .scan = supervised_scan,
    .initialize = supervised_initialize,
    .draw = supervised_draw,
    .gradient = supervised_gradient,
    .evaluate = supervised_evaluate,
    .seek = supervised_seek,
    .recalibrate = supervised_recalibrate,
    .predict = supervised_predict,
    .free = supervised_free,
};

struct problem *supervised_new(const struct supervised_setup *setup)
{
    struct supervised *s = MEM_NEW(struct supervised);
    const struct dataset *d = setup->gather->dataset;
    const struct batch_schedule_setup schedule = schedule_setup_of(setup);

    CHECK(setup->loss->wants_labels == (d->classes > 0));
    CHECK(shape_size(setup->model->out) == (d->classes > 0 ? d->classes : d->target_size));
    CHECK(compute_pool_model(setup->pool) == setup->model);
    CHECK(setup->batch_size <= compute_pool_batch(setup->pool));
    s->setup = *setup;
    batch_schedule_init(&s->schedule, &schedule);
    s->base = (struct problem){
        .ops = &supervised_problem,
        .param_count = setup->model->param_count,
        .state_count = setup->model->state_count,
        .classes = d->classes,
        .part_counts = {setup->split->train_count, setup->split->validation_count, d->test.count,
                        d->map.count},
        .batches_per_epoch = s->schedule.epoch_batches,
    };
    supervised_set_metrics(&s->base, d);
    return &s->base;
}
