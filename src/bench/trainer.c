/*
 * trainer.c - checks, then times, rounds of training.
 *
 * Not here: what is trained on what (trainer_setup.c).
 */
#include "bench/trainer.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/peak.h"
#include "problem/supervised.h"

/* --- the check --- */

/* Loss and canonical gradient of the first batch at the initial state. */
struct probe {
    double loss;
    float *gradient; /* [param_count] */
};

static void probe_take(struct probe *p, struct problem *problem, const struct model *m,
                       const float *state)
{
    float *copy = MEM_NEW_N(float, m->state_count); /* BatchNorm's statistics move */
    float *gradient = MEM_NEW_N(float, m->param_count);
    struct batch_result result = {0};

    memcpy(copy, state, (size_t)m->state_count * sizeof *copy);
    problem_seek(problem, 0, 0);
    problem_draw(problem);
    problem_gradient(problem, copy, gradient, &result);
    problem_seek(problem, 0, 0);
    p->loss = result.loss_sum / (double)result.samples;
    p->gradient = MEM_NEW_N(float, m->param_count);
    model_to_canonical(m, p->gradient, gradient, m->param_count);
    mem_free(copy);
    mem_free(gradient);
}

/* The problem of the build again, with another plan of the model. */
static void probe_reference(struct probe *p, const struct build *b, const struct model *reference)
{
    int64_t *counters = MEM_NEW_N(int64_t, reference->counter_count);
    float *state = MEM_NEW_N(float, reference->state_count);
    const struct entry *loss = registry_find(&loss_registry, b->experiment->problem.loss);
    struct stations *stations = stations_new(reference, b->dataset, stations_batch(b->stations),
                                             stations_threads(b->stations));
    const struct supervised_setup setup = {
        .model = reference,
        .loss = (const struct loss_ops *)(const void *)loss,
        .gather = &b->gather,
        .split = &b->split,
        .seed = (uint64_t)b->experiment->top.seed,
        .batch_size = stations_batch(b->stations),
        .stations = stations,
        .counters = counters,
    };
    struct problem *problem = supervised_new(&setup);

    model_initialize(reference, state, setup.seed);
    probe_take(p, problem, reference, state);
    problem_free(problem);
    stations_free(stations);
    mem_free(state);
    mem_free(counters);
}

static double distance(const float *a, const float *b, int64_t n)
{
    double squares = 0, size = 0;

    for (int64_t i = 0; i < n; i++) {
        const double d = (double)a[i] - (double)b[i];
        squares += d * d;
        size += (double)b[i] * (double)b[i];
    }
    return sqrt(squares / size);
}

/* NaN is no result either: hence the negated comparisons. */
static enum status judge(const struct trainer_check *c, const struct model *m)
{
    if (!(c->loss_error <= TRAINER_LOSS_TOLERANCE))
        return FAIL(STATUS_DIVERGED,
                    "%s: the loss differs from the reference implementation's by %.2g, more than "
                    "%g: not timed",
                    m->name, c->loss_error, TRAINER_LOSS_TOLERANCE);
    if (!(c->gradient_error <= TRAINER_GRADIENT_TOLERANCE))
        return FAIL(STATUS_DIVERGED,
                    "%s: the gradient differs from the reference implementation's by %.2g, more "
                    "than %g: not timed",
                    m->name, c->gradient_error, TRAINER_GRADIENT_TOLERANCE);
    return STATUS_OK;
}

static enum status check(struct trainer *t)
{
    const struct model_options plain = {.convolution = CONVOLUTION_DIRECT, .no_fusion = true};
    const struct build *b = t->build;
    struct model *reference = NULL;
    struct net *net = NULL;
    struct probe ours, theirs;

    TRY(experiment_net(&t->experiment, b->model->in, shape_size(b->model->out), &net));
    TRY(model_new_with(b->model->name, net, b->model->in, &plain, &reference));
    probe_take(&ours, t->actor->problem, b->model, t->actor->state);
    probe_reference(&theirs, b, reference);
    t->check = (struct trainer_check){
        .loss_error = fabs(ours.loss - theirs.loss) / fabs(theirs.loss),
        .gradient_error = distance(ours.gradient, theirs.gradient, b->model->param_count),
    };
    mem_free(ours.gradient);
    mem_free(theirs.gradient);
    model_free(reference);
    memset(t->actor->counters, 0, (size_t)b->model->counter_count * sizeof *t->actor->counters);
    return judge(&t->check, b->model);
}

/* --- life --- */

/* Training takes the samples that there are; a measurement would bear the wrong name. */
static enum status check_batch(const struct trainer *t)
{
    const int64_t asked = t->experiment.train.batch_size, there = t->build->split.train_count;

    if (asked <= there)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "--batch: %lld is more than the %lld samples of data set %s; take a smaller one",
                (long long)asked, (long long)there, t->experiment.dataset.entry->name);
}

static enum status prepare(struct trainer *t)
{
    const struct optim_ops *optim = (const struct optim_ops *)t->experiment.optimizer.entry;

    if (optim->update == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "--optimizer: a step of %s is several gradients; bench takes sgd, adam, adamw",
                    optim->entry.name);
    TRY(world_open(&(struct world_request){.transport = "threads", .workers = 1}, &t->world));
    TRY(build_new(&t->experiment, &(struct build_size){.workers = 1, .neighbours = 1}, &t->build));
    TRY(check_batch(t));
    t->actor = actor_new(t->build, 0);
    t->actor->worker.rates =
        (struct optim_rates){.lr = optim->lr(t->experiment.optimizer.options), .momentum = -1};
    return check(t);
}

enum status trainer_new(struct node *root, struct trainer **trainer)
{
    struct trainer *t = MEM_NEW(struct trainer);
    enum status s = trainer_fill_in(root);

    if (s == STATUS_OK)
        s = experiment_read(&t->experiment, root);
    if (s == STATUS_OK)
        s = prepare(t);
    if (s != STATUS_OK) {
        trainer_free(t);
        return s;
    }
    *trainer = t;
    return STATUS_OK;
}

void trainer_free(struct trainer *t)
{
    if (t == NULL)
        return;
    actor_free(t->actor);
    build_free(t->build);
    world_close(t->world);
    experiment_release(&t->experiment);
    mem_free(t);
}

/* --- timing --- */

/* One window, as the body of the only worker. */
struct window_run {
    struct trainer *trainer;
    double seconds;
    struct trainer_window *result;
};

static enum status window_body(void *context, struct transport *t)
{
    const struct window_run *run = context;
    struct worker *worker = &run->trainer->actor->worker;
    struct trainer_window *w = run->result;
    const double start = clock_seconds();

    worker->transport = t;
    transport_compute_begin(t);
    do {
        TRY(algo_round(worker));
        w->samples += worker->result.batch.samples;
        w->rounds++;
        w->seconds = clock_seconds() - start;
    } while (w->seconds < run->seconds);
    transport_compute_end(t, 0);
    return STATUS_OK;
}

enum status trainer_window(struct trainer *t, double seconds, struct trainer_window *w)
{
    struct window_run run = {.trainer = t, .seconds = seconds, .result = w};

    *w = (struct trainer_window){0};
    return world_run(t->world, window_body, &run);
}

double trainer_peak(struct trainer *t)
{
    struct station *station = station_take(t->build->stations);
    const double peak = peak_fma(kernel_get(), station->team);

    station_give(t->build->stations, station);
    return peak;
}

/* A round with a look at the clock after each stage. */
static void timed_round(struct trainer *t, struct trainer_stages *s)
{
    struct worker *w = &t->actor->worker;
    struct batch_result result;
    const double start = clock_seconds();

    problem_draw(w->problem);
    const double drawn = clock_seconds();
    problem_gradient(w->problem, w->state, w->gradient, &result);
    const double computed = clock_seconds();
    optim_update(w->optim, w->state, w->gradient, w->rates);
    s->gather += drawn - start;
    s->other += computed - drawn; /* less what the timer knows of, in the end */
    s->optimizer += clock_seconds() - computed;
    s->rounds++;
}

static void divide(struct trainer_stages *s, const struct model_timer *timer, int layers)
{
    const double rounds = (double)s->rounds;

    s->loss = timer->between;
    s->gather += timer->input;
    s->other -= s->loss + timer->input;
    for (int i = 0; i < layers; i++) {
        s->other -= s->forward[i] + s->backward[i];
        s->forward[i] /= rounds;
        s->backward[i] /= rounds;
    }
    s->gather /= rounds;
    s->loss /= rounds;
    s->optimizer /= rounds;
    s->other /= rounds;
}

enum status trainer_stages_measure(struct trainer *t, double seconds, struct trainer_stages *s)
{
    const int layers = t->build->model->layer_count;
    const double start = clock_seconds();

    *s = (struct trainer_stages){
        .forward = MEM_NEW_N(double, layers),
        .backward = MEM_NEW_N(double, layers),
    };
    struct model_timer timer = {.forward = s->forward, .backward = s->backward};

    t->actor->problem->timer = &timer;
    do
        timed_round(t, s);
    while (clock_seconds() - start < seconds);
    t->actor->problem->timer = NULL;
    divide(s, &timer, layers);
    return STATUS_OK;
}

void trainer_stages_release(struct trainer_stages *s)
{
    mem_free(s->forward);
    mem_free(s->backward);
    *s = (struct trainer_stages){0};
}
