/*
 * supervised.c - mini-batches of a data set through a model to a loss.
 *
 * Here: gathering a batch, the passes, recalibration of statistics. Not here: the gradient
 * (supervised_gradient.c), evaluation (supervised_evaluate.c), which samples are in a batch
 * (batch_schedule.c), threads and memory to compute with (compute_pool.c), the arithmetic (nn/).
 */
#include <string.h>

#include "base/check.h"
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
    };
}

bool supervised_next_piece(struct supervised_job *j)
{
    const int64_t left = j->batch.size - j->first, piece = compute_pool_piece(j->s->setup.pool);

    j->count = left < piece ? left : piece;
    return j->count > 0;
}

/* Samples [begin, begin + n) of the piece to the model's input. */
static enum status gather_piece(const struct supervised_job *j, const int64_t *numbers,
                                int64_t begin, int64_t n)
{
    const struct gather *g = j->s->setup.gather;
    const int64_t size = shape_size(j->s->setup.model->in);
    float *out = workspace_input(j->context->work) + begin * size;
    const struct sample_view view = {
        .is_training = !j->is_evaluation,
        .seed = sampler_pass_seed(j->s->setup.seed, j->batch.pass),
        .epoch = j->batch.epoch,
    };

    if (!preparation_is_needed(&g->preparation, j->part, !j->is_evaluation)) {
        gather_inputs(out, g, j->part, numbers, n);
        return STATUS_OK;
    }
    if (j->prepared == NULL)
        return gather_views(out, g, j->part, &view, numbers, n);
    TRY(loader_finish(j->s->setup.loader, j->prepared));
    gather_prepared(out, g, j->part, numbers, j->prepared->bytes + (j->first + begin) * size, n);
    return STATUS_OK;
}

/* Gathering is split over the team: each thread fills whole samples. */
static void gather_share(void *argument, int thread, int threads)
{
    struct supervised_job *j = argument;
    const struct compute_context *context = j->context;
    const int64_t target_size = j->s->setup.gather->dataset->target_size;
    int64_t begin = 0;
    int64_t end = 0;

    team_part(j->count, thread, threads, &begin, &end);
    const int64_t *numbers = j->batch.samples + j->first + begin;
    const int64_t n = end - begin;

    const enum status s = gather_piece(j, numbers, begin, n);
    if (s != STATUS_OK)
        first_failure_note(&j->failure, begin, s);
    if (context->labels != NULL)
        gather_labels(context->labels + j->first + begin, j->part, numbers, n);
    else
        gather_targets(context->targets + (j->first + begin) * target_size, j->part, target_size,
                       numbers, n);
}

enum status supervised_gather(struct supervised_job *j)
{
    first_failure_init(&j->failure);
    team_run(j->context->team, gather_share, j);
    const enum status s = first_failure_raise(&j->failure);
    first_failure_release(&j->failure);
    return s;
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

int64_t supervised_rank(const float *output, int64_t outputs, int32_t label)
{
    const float mine = output[label];
    int64_t rank = 0;

    for (int64_t j = 0; j < outputs; j++)
        rank += output[j] > mine || (j < label && !(output[j] < mine));
    return rank;
}

/* --- batches --- */

static void supervised_draw(struct problem *p)
{
    struct supervised *s = of(p);

    s->drawn = s->ahead == NULL ? batch_schedule_next(&s->schedule)
                                : batch_ahead_next(s->ahead, &s->prepared);
    s->is_fresh = true;
    p->batch_size = s->drawn.size;
    p->batch_total = s->drawn.total;
}

/* --- recalibration --- */

/* Statistics of batches while they are added up. */
struct calibration {
    float *raw;               /* [state_count], of which the buffers are used */
    double *sums;             /* [state_count - param_count] */
    int64_t *batches_tracked; /* batches that each BatchNorm has counted */
};

/* Adds the statistics of one piece of a batch. Who counts none leaves the zeros. */
static enum status calibrate_on(struct calibration *c, struct supervised_job *j, const float *state)
{
    const struct model *m = j->s->setup.model;
    const int64_t buffers = m->state_count - m->param_count;
    float *raw = c->raw + m->param_count;
    struct model_pass pass = supervised_pass(j, state);

    memset(raw, 0, (size_t)buffers * sizeof *raw);
    TRY(supervised_gather(j));
    pass.update_state = c->raw;
    pass.batches_tracked = c->batches_tracked;
    pass.raw_statistics = true;
    model_forward(m, &pass, PASS_TRAIN);
    for (int64_t k = 0; k < buffers; k++)
        c->sums[k] += (double)raw[k];
    return STATUS_OK;
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
static enum status calibrate(struct calibration *c, const struct supervised *s, const float *state,
                             int64_t batches)
{
    struct batch_schedule_setup setup = schedule_setup_of(&s->setup);
    struct batch_schedule schedule;
    struct compute_context *context = compute_pool_take(s->setup.pool);
    enum status status = STATUS_OK;

    setup.epoch_batches = 0;
    batch_schedule_init(&schedule, &setup);
    for (int64_t b = 0; b < batches && b < schedule.own_batches && status == STATUS_OK; b++) {
        const struct scheduled_batch batch = batch_schedule_next(&schedule);
        struct supervised_job j = supervised_job(s, context, &batch);

        for (; supervised_next_piece(&j) && status == STATUS_OK; j.first += j.count)
            status = calibrate_on(c, &j, state);
    }
    batch_schedule_release(&schedule);
    compute_pool_give(s->setup.pool, context);
    return status;
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
    const enum status status = calibrate(&c, s, state, batches);
    if (status == STATUS_OK)
        model_average_statistics(m, buffers, c.sums, c.batches_tracked);
    mem_free(c.raw);
    mem_free(c.sums);
    mem_free(c.batches_tracked);
    return status;
}

/* --- life --- */

static void supervised_initialize(struct problem *p, float *state, uint64_t seed)
{
    model_initialize(of(p)->setup.model, state, seed);
}

static void supervised_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    batch_schedule_seek(&of(p)->schedule, epoch, batch);
    if (of(p)->ahead != NULL)
        batch_ahead_seek(of(p)->ahead, epoch, batch);
    p->batch_size = p->batch_total = 0;
}

static void supervised_free(struct problem *p)
{
    struct supervised *s = of(p);

    batch_ahead_free(s->ahead);
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
    .memory_ahead = supervised_memory_ahead,
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
    if (setup->loader != NULL)
        s->ahead = batch_ahead_new(&(struct batch_ahead_setup){
            .schedule = schedule,
            .loader = setup->loader,
            .preparation = &setup->gather->preparation,
            .part = &d->train,
            .ahead = setup->ahead,
        });
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
