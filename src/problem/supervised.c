/*
 * supervised.c - mini-batches of a data set through a model to a loss, and back.
 *
 * Here: gathering a batch, the passes, exact evaluation over a part, statistics anew.
 * Not here: which samples are in a batch (course.c), threads and memory to compute with
 * (station.c), the arithmetic (nn/).
 */
#include "problem/supervised.h"

#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"

struct supervised {
    struct problem base; /* first */
    struct supervised_setup setup;
    struct course course;
    struct course_batch drawn;
    bool is_fresh; /* the drawn batch has not updated the statistics yet */
};

static struct supervised *of(struct problem *p)
{
    return (struct supervised *)p;
}

/* --- what gradient, evaluation and recalibration are made of --- */

/* Some samples at a station. */
struct job {
    const struct supervised *s;
    struct station *at;
    const struct samples *part;
    struct course_batch batch;
    int64_t first, count; /* the piece of the batch that goes through the model */
};

static struct job job_on(const struct supervised *s, struct station *at,
                         const struct course_batch *batch)
{
    return (struct job){
        .s = s,
        .at = at,
        .part = &s->setup.gather->dataset->train,
        .batch = *batch,
        .count = batch->size,
    };
}

/* Gathering is split over the team: each thread fills whole samples. */
static void gather_share(void *context, int thread, int threads)
{
    const struct job *j = context;
    const struct station *at = j->at;
    const struct gather *gather = j->s->setup.gather;
    const int64_t size = shape_size(j->s->setup.model->in);
    const int64_t target_size = gather->dataset->target_size;
    int64_t begin = 0;
    int64_t end = 0;

    team_part(j->count, thread, threads, &begin, &end);
    const int64_t *numbers = j->batch.samples + j->first + begin;
    const int64_t n = end - begin;

    gather_inputs(workspace_input(at->work) + begin * size, gather, j->part, numbers, n);
    if (at->labels != NULL)
        gather_labels(at->labels + j->first + begin, j->part, numbers, n);
    else
        gather_targets(at->targets + (j->first + begin) * target_size, j->part, target_size,
                       numbers, n);
}

static void gather_piece(struct job *j)
{
    team_run(j->at->team, gather_share, j);
}

/* A further pass of an epoch has another dropout, as it has another order. */
static struct model_pass pass_for(const struct job *j, const float *state)
{
    return (struct model_pass){
        .team = j->at->team,
        .work = j->at->work,
        .batch = j->count,
        .state = state,
        .seed = sampler_pass_seed(j->s->setup.seed, j->batch.pass),
        .epoch = j->batch.epoch,
        .samples = j->batch.samples + j->first,
    };
}

static struct loss_batch loss_for(const struct job *j, const float *output)
{
    const struct station *at = j->at;
    const int64_t outputs = shape_size(j->s->setup.model->out);

    return (struct loss_batch){
        .kernel = kernel_get(),
        .team = at->team,
        .batch = j->count,
        .outputs = outputs,
        .output = output,
        .labels = at->labels == NULL ? NULL : at->labels + j->first,
        .targets = at->targets == NULL ? NULL : at->targets + j->first * outputs,
        .losses = at->losses + j->first,
        .scale = 1,
    };
}

/* How many outputs are larger than that of the label; equal ones before it count too. */
static int64_t rank_of_label(const float *output, int64_t outputs, int32_t label)
{
    const float mine = output[label];
    int64_t rank = 0;

    for (int64_t j = 0; j < outputs; j++)
        rank += output[j] > mine || (j < label && !(output[j] < mine));
    return rank;
}

static int32_t largest(const float *output, int64_t outputs)
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
        correct += largest(b->output + i * b->outputs, b->outputs) == b->labels[i];
    return correct;
}

/* --- gradient --- */

static void supervised_draw(struct problem *p)
{
    struct supervised *s = of(p);

    s->drawn = course_next(&s->course);
    s->is_fresh = true;
    p->batch_size = s->drawn.size;
    p->batch_total = s->drawn.total;
}

static void gather_timed(struct job *j, struct model_timer *timer)
{
    const double start = timer == NULL ? 0.0 : clock_seconds();

    gather_piece(j);
    if (timer != NULL)
        timer->input += clock_seconds() - start;
}

/* From a piece of the batch to its part of the gradient; answers how many it has right. */
static int64_t gradient_piece(struct problem *p, struct job *j, float *state, float *gradient)
{
    const struct model *m = j->s->setup.model;
    const bool is_last = j->first + j->count == p->batch_size;
    struct model_pass pass = pass_for(j, state);

    gather_timed(j, p->timer);
    pass.timer = p->timer;
    pass.adds = j->first > 0;
    if (j->s->is_fresh) {
        pass.update_state = state;
        pass.counters = j->s->setup.counters;
        pass.raw_statistics = p->raw_statistics;
    }
    struct loss_batch loss = loss_for(j, model_forward(m, &pass, PASS_TRAIN));

    loss.doutput = workspace_output_gradient(j->at->work);
    loss.scale = 1.0 / (double)(p->global_batch > 0 ? p->global_batch : p->batch_size);
    j->s->setup.loss->compute(&loss);
    const int64_t correct = count_correct(&loss);

    model_backward(m, &pass, loss.doutput, gradient, is_last ? p->hook : NULL, NULL);
    return correct;
}

static void supervised_gradient(struct problem *p, float *state, float *gradient,
                                struct batch_result *result)
{
    struct supervised *s = of(p);
    const int64_t batch = s->drawn.size, piece = stations_piece(s->setup.stations);
    struct job j = job_on(s, station_take(s->setup.stations), &s->drawn);

    *result = (struct batch_result){.samples = batch};
    for (j.first = 0; j.first < batch; j.first += piece) {
        j.count = batch - j.first < piece ? batch - j.first : piece;
        result->correct += gradient_piece(p, &j, state, gradient);
    }
    s->is_fresh = false;
    result->loss_sum = loss_sum(j.at->losses, batch);
    station_give(s->setup.stations, j.at);
}

/* --- evaluation --- */

static void tally(const struct loss_batch *b, struct evaluation *result)
{
    for (int64_t i = 0; b->labels != NULL && i < b->batch; i++) {
        const float *row = b->output + i * b->outputs;
        const int64_t rank = rank_of_label(row, b->outputs, b->labels[i]);

        result->correct += rank == 0;
        result->correct5 += rank < 5;
        if (result->confusion != NULL)
            result->confusion[b->labels[i] * b->outputs + largest(row, b->outputs)]++;
    }
}

/* The samples of a part: a list of numbers, or NULL for 0, 1, 2, ... */
static const int64_t *part_numbers(const struct supervised *s, enum problem_part part)
{
    switch (part) {
    case PART_TRAIN:
        return s->setup.split->train;
    case PART_VALIDATION:
        return s->setup.split->validation;
    case PART_TEST:
        return NULL;
    }
    BUG("part out of range");
}

/* Answers the summed loss of the samples at the station. */
static double evaluate_piece(struct job *j, const float *state, struct evaluation *result)
{
    gather_piece(j);

    const struct model_pass pass = pass_for(j, state);
    const struct loss_batch loss = loss_for(j, model_forward(j->s->setup.model, &pass, PASS_EVAL));

    j->s->setup.loss->compute(&loss);
    tally(&loss, result);
    return loss_sum(loss.losses, loss.batch);
}

static enum status supervised_evaluate(struct problem *p, const float *state,
                                       enum problem_part part, struct evaluation *result)
{
    struct supervised *s = of(p);
    const struct dataset *d = s->setup.gather->dataset;
    const int64_t *numbers = part_numbers(s, part);
    const int64_t count = p->part_counts[part], piece = stations_piece(s->setup.stations);
    struct station *at = station_take(s->setup.stations);
    struct job j = job_on(s, at, &(struct course_batch){.samples = at->numbers});
    double sum = 0;

    j.part = part == PART_TEST ? &d->test : &d->train;
    result->samples = count;
    result->correct = result->correct5 = 0;
    for (int64_t first = 0; first < count; first += piece) {
        j.count = count - first < piece ? count - first : piece;
        for (int64_t i = 0; i < j.count; i++)
            at->numbers[i] = numbers == NULL ? first + i : numbers[first + i];
        sum += evaluate_piece(&j, state, result);
    }
    result->loss = sum / (double)count;
    station_give(s->setup.stations, at);
    return STATUS_OK;
}

/* --- recalibration --- */

/* Statistics of batches while they are added up. */
struct calibration {
    float *raw;        /* [state_count], of which the buffers are used */
    double *sums;      /* [state_count - param_count] */
    int64_t *counters; /* batches that each BatchNorm has counted */
};

/* Adds the statistics of one batch. Who counts no batch leaves the zeros. */
static void calibrate_on(struct calibration *c, struct job *j, const float *state)
{
    const struct model *m = j->s->setup.model;
    const int64_t buffers = m->state_count - m->param_count;
    float *raw = c->raw + m->param_count;
    struct model_pass pass = pass_for(j, state);

    memset(raw, 0, (size_t)buffers * sizeof *raw);
    gather_piece(j);
    pass.update_state = c->raw;
    pass.counters = c->counters;
    pass.raw_statistics = true;
    model_forward(m, &pass, PASS_TRAIN);
    for (int64_t k = 0; k < buffers; k++)
        c->sums[k] += (double)raw[k];
}

static struct course_setup course_of(const struct supervised_setup *s)
{
    return (struct course_setup){
        .split = s->split,
        .partition = s->partition,
        .worker = s->worker,
        .seed = s->seed,
        .batch_size = s->batch_size,
        .epoch_batches = s->epoch_batches,
        .uneven = s->uneven,
    };
}

/* The first batches of the worker's own samples, wherever the run stands. */
static void calibrate(struct calibration *c, const struct supervised *s, const float *state,
                      int64_t batches)
{
    struct course_setup setup = course_of(&s->setup);
    struct course course;
    struct station *at = station_take(s->setup.stations);

    setup.epoch_batches = 0;
    course_init(&course, &setup);
    for (int64_t b = 0; b < batches && b < course.own_batches; b++) {
        const struct course_batch batch = course_next(&course);
        struct job j = job_on(s, at, &batch);
        calibrate_on(c, &j, state);
    }
    course_release(&course);
    station_give(s->setup.stations, at);
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
        .counters = MEM_NEW_N(int64_t, m->counter_count),
    };

    model_reset_statistics(m, buffers);
    calibrate(&c, s, state, batches);
    model_average_statistics(m, buffers, c.sums, c.counters);
    mem_free(c.raw);
    mem_free(c.sums);
    mem_free(c.counters);
    return STATUS_OK;
}

/* --- life --- */

static void supervised_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    course_seek(&of(p)->course, epoch, batch);
    p->batch_size = p->batch_total = 0;
}

static void supervised_free(struct problem *p)
{
    struct supervised *s = of(p);

    course_release(&s->course);
    mem_free(s);
}

static const struct problem_ops supervised_ops = {
    .name = "supervised",
    .draw = supervised_draw,
    .gradient = supervised_gradient,
    .evaluate = supervised_evaluate,
    .seek = supervised_seek,
    .recalibrate = supervised_recalibrate,
    .free = supervised_free,
};

struct problem *supervised_new(const struct supervised_setup *setup)
{
    struct supervised *s = MEM_NEW(struct supervised);
    const struct dataset *d = setup->gather->dataset;
    const struct course_setup course = course_of(setup);

    CHECK(setup->loss->wants_labels == (d->classes > 0));
    CHECK(shape_size(setup->model->out) == (d->classes > 0 ? d->classes : d->target_size));
    CHECK(stations_model(setup->stations) == setup->model);
    CHECK(setup->batch_size <= stations_batch(setup->stations));
    s->setup = *setup;
    course_init(&s->course, &course);
    s->base = (struct problem){
        .ops = &supervised_ops,
        .param_count = setup->model->param_count,
        .state_count = setup->model->state_count,
        .classes = d->classes,
        .part_counts = {setup->split->train_count, setup->split->validation_count, d->test.count},
        .batches_per_epoch = s->course.epoch_batches,
    };
    return &s->base;
}
