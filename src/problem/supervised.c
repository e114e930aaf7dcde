/*
 * supervised.c - mini-batches of a data set through a model to a loss, and back.
 *
 * Here: gathering a batch, the passes, exact evaluation over a part.
 * Not here: the order of samples (data/sampler.c), the arithmetic (nn/).
 */
#include "problem/supervised.h"

#include "base/check.h"
#include "base/mem.h"
#include "data/sampler.h"

struct supervised {
    struct problem base; /* first */
    struct supervised_setup setup;
    struct sampler sampler;
    struct workspace *work; /* for a piece */
    int64_t piece;          /* samples that go through the model at once; at most the batch */
    int64_t epoch;          /* of the drawn batch */
    const int64_t *samples; /* of the drawn batch; inside the sampler */
    bool is_fresh;          /* the drawn batch has not updated the statistics yet */
    int32_t *labels;        /* [batch], or NULL */
    float *targets;         /* [batch][outputs], or NULL */
    float *losses;          /* [batch] */
    int64_t *numbers;       /* [batch], of an evaluation batch */
};

static struct supervised *of(struct problem *p)
{
    return (struct supervised *)p;
}

/* Gathering is split over the team: each thread fills whole samples. */
struct gathering {
    const struct supervised *s;
    const struct samples *part;
    const int64_t *numbers;
    int64_t first, count; /* place in the batch, for labels and targets */
    float *inputs;
};

static void gather_share(void *context, int thread, int threads)
{
    const struct gathering *g = context;
    const struct supervised *s = g->s;
    const int64_t size = shape_size(s->setup.model->in);
    int64_t begin = 0;
    int64_t end = 0;

    team_part(g->count, thread, threads, &begin, &end);
    gather_inputs(g->inputs + begin * size, s->setup.gather, g->part, g->numbers + begin,
                  end - begin);
    if (s->labels != NULL)
        gather_labels(s->labels + g->first + begin, g->part, g->numbers + begin, end - begin);
    else
        gather_targets(s->targets + (g->first + begin) * s->setup.gather->dataset->target_size,
                       g->part, s->setup.gather->dataset->target_size, g->numbers + begin,
                       end - begin);
}

/* The samples `numbers` as inputs of the next pass. */
static void gather_piece(struct supervised *s, const struct gathering *what)
{
    struct gathering g = *what;

    g.s = s;
    g.inputs = workspace_input(s->work);
    team_run(s->setup.team, gather_share, &g);
}

/* Samples first .. first+count-1 of the drawn batch. */
static void gather_drawn(struct supervised *s, int64_t first, int64_t count)
{
    gather_piece(s, &(struct gathering){
                        .part = &s->setup.gather->dataset->train,
                        .numbers = s->samples + first,
                        .first = first,
                        .count = count,
                    });
}

static void supervised_draw(struct problem *p)
{
    struct supervised *s = of(p);

    s->samples = sampler_next(&s->sampler, &p->batch_size);
    s->epoch = s->sampler.epoch; /* after the draw: the sampler enters a new epoch only then */
    s->is_fresh = true;
    if (p->batch_size <= s->piece) /* else pieces are gathered as they come */
        gather_drawn(s, 0, p->batch_size);
}

static struct model_pass pass_for(const struct supervised *s, const float *state, int64_t batch)
{
    return (struct model_pass){
        .team = s->setup.team,
        .work = s->work,
        .batch = batch,
        .state = state,
        .seed = s->setup.seed,
        .epoch = s->epoch,
        .samples = s->samples,
    };
}

static struct loss_batch loss_for(const struct supervised *s, const float *output, int64_t batch)
{
    return (struct loss_batch){
        .kernel = kernel_get(),
        .team = s->setup.team,
        .batch = batch,
        .outputs = shape_size(s->setup.model->out),
        .output = output,
        .labels = s->labels,
        .targets = s->targets,
        .losses = s->losses,
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

/* From the batch's samples first .. first+pass->batch-1 to their part of the gradient. */
static void gradient_piece(struct problem *p, struct model_pass *pass, int64_t first,
                           float *gradient, struct batch_result *result)
{
    struct supervised *s = of(p);
    const bool is_last = first + pass->batch == p->batch_size;

    if (p->batch_size > s->piece)
        gather_drawn(s, first, pass->batch);
    pass->adds = first > 0;
    pass->samples = s->samples + first;

    const float *output = model_forward(s->setup.model, pass, PASS_TRAIN);
    struct loss_batch loss = loss_for(s, output, pass->batch);

    loss.labels = s->labels == NULL ? NULL : s->labels + first;
    loss.targets = s->targets == NULL ? NULL : s->targets + first * loss.outputs;
    loss.losses = s->losses + first;
    loss.doutput = workspace_output_gradient(s->work);
    loss.scale = 1.0 / (double)(p->global_batch > 0 ? p->global_batch : p->batch_size);
    s->setup.loss->compute(&loss);
    result->correct += count_correct(&loss);
    model_backward(s->setup.model, pass, loss.doutput, gradient, is_last ? p->hook : NULL, NULL);
}

static void supervised_gradient(struct problem *p, float *state, float *gradient,
                                struct batch_result *result)
{
    struct supervised *s = of(p);
    const int64_t batch = p->batch_size;
    struct model_pass pass = pass_for(s, state, batch);

    pass.timer = p->timer;
    if (s->is_fresh) {
        pass.update_state = state;
        pass.counters = s->setup.counters;
    }
    *result = (struct batch_result){.samples = batch};
    for (int64_t first = 0; first < batch; first += s->piece) {
        pass.batch = batch - first < s->piece ? batch - first : s->piece;
        gradient_piece(p, &pass, first, gradient, result);
    }
    s->is_fresh = false;
    result->loss_sum = loss_sum(s->losses, batch);
}

static void tally(const struct supervised *s, const float *output, int64_t batch,
                  struct evaluation *result)
{
    const int64_t outputs = shape_size(s->setup.model->out);

    for (int64_t i = 0; s->labels != NULL && i < batch; i++) {
        const float *row = output + i * outputs;
        const int64_t rank = rank_of_label(row, outputs, s->labels[i]);

        result->correct += rank == 0;
        result->correct5 += rank < 5;
        if (result->confusion != NULL)
            result->confusion[s->labels[i] * outputs + largest(row, outputs)]++;
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

static enum status supervised_evaluate(struct problem *p, const float *state,
                                       enum problem_part part, struct evaluation *result)
{
    struct supervised *s = of(p);
    const struct dataset *d = s->setup.gather->dataset;
    const struct samples *samples = part == PART_TEST ? &d->test : &d->train;
    const int64_t *numbers = part_numbers(s, part);
    const int64_t count = p->part_counts[part];
    double sum = 0;

    result->samples = count;
    result->correct = result->correct5 = 0;
    for (int64_t first = 0; first < count; first += s->piece) {
        const int64_t batch = count - first < s->piece ? count - first : s->piece;

        for (int64_t i = 0; i < batch; i++)
            s->numbers[i] = numbers == NULL ? first + i : numbers[first + i];
        gather_piece(s,
                     &(struct gathering){.part = samples, .numbers = s->numbers, .count = batch});

        const struct model_pass pass = pass_for(s, state, batch);
        const float *output = model_forward(s->setup.model, &pass, PASS_EVAL);
        const struct loss_batch loss = loss_for(s, output, batch);
        s->setup.loss->compute(&loss);
        sum += loss_sum(s->losses, batch);
        tally(s, output, batch, result);
    }
    result->loss = sum / (double)count;
    p->batch_size = 0; /* the workspace no longer holds the drawn batch */
    return STATUS_OK;
}

static void supervised_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    sampler_seek(&of(p)->sampler, epoch, batch);
    p->batch_size = 0;
}

static void supervised_free(struct problem *p)
{
    struct supervised *s = of(p);

    sampler_release(&s->sampler);
    workspace_free(s->work);
    mem_free(s->labels);
    mem_free(s->targets);
    mem_free(s->losses);
    mem_free(s->numbers);
    mem_free(s);
}

static const struct problem_ops supervised_ops = {
    .name = "supervised",
    .draw = supervised_draw,
    .gradient = supervised_gradient,
    .evaluate = supervised_evaluate,
    .seek = supervised_seek,
    .free = supervised_free,
};

struct problem *supervised_new(const struct supervised_setup *setup)
{
    struct supervised *s = MEM_NEW(struct supervised);
    const struct dataset *d = setup->gather->dataset;
    const int64_t batch = setup->batch_size;
    const int64_t target_floats = batch * d->target_size;

    CHECK(setup->loss->wants_labels == (d->classes > 0));
    CHECK(shape_size(setup->model->out) == (d->classes > 0 ? d->classes : d->target_size));
    s->setup = *setup;
    s->piece = model_piece(setup->model) < batch ? model_piece(setup->model) : batch;
    s->work = workspace_new(setup->model, s->piece, team_size(setup->team));
    s->losses = MEM_NEW_N(float, batch);
    s->numbers = MEM_NEW_N(int64_t, batch);
    if (d->classes > 0)
        s->labels = MEM_NEW_N(int32_t, batch);
    else
        s->targets = MEM_NEW_N(float, target_floats);
    sampler_init(&s->sampler, setup->split->train, setup->split->train_count, batch, setup->seed);
    s->base = (struct problem){
        .ops = &supervised_ops,
        .param_count = setup->model->param_count,
        .state_count = setup->model->state_count,
        .classes = d->classes,
        .part_counts = {setup->split->train_count, setup->split->validation_count, d->test.count},
        .batches_per_epoch = sampler_batches(&s->sampler),
    };
    return &s->base;
}
