/*
 * trainer.c - checks, then times, rounds of training.
 *
 * Not here: what is trained on what (trainer_setup.c).
 */
#include "bench/trainer.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "bench/peak.h"

/* --- the check --- */

/* Loss and canonical gradient of the first batch at the initial state. */
struct probe {
    double loss;
    float *gradient; /* [param_count] */
};

static enum status probe_take(struct probe *p, struct problem *problem, const struct model *m,
                              const float *state)
{
    float *copy = MEM_NEW_N(float, m->state_count); /* BatchNorm's statistics move */
    float *gradient = MEM_NEW_N(float, m->param_count);
    struct batch_result result = {0};

    memcpy(copy, state, (size_t)m->state_count * sizeof *copy);
    problem_seek(problem, 0, 0);
    problem_draw(problem);
    const enum status s = problem_gradient(problem, copy, gradient, &result);
    problem_seek(problem, 0, 0);
    p->loss = result.loss_sum / (double)result.samples;
    p->gradient = MEM_NEW_N(float, m->param_count);
    model_to_canonical(m, p->gradient, gradient, m->param_count);
    mem_free(copy);
    mem_free(gradient);
    return s;
}

/* The problem of the build again, with another plan of the model. */
static enum status probe_reference(struct probe *p, const struct supervised_plan *plan,
                                   const struct model *reference)
{
    int64_t *batches_tracked = MEM_NEW_N(int64_t, reference->tracked_count);
    float *state = MEM_NEW_N(float, reference->state_count);
    const struct supervised_setup setup = {
        .model = reference,
        .loss = plan->loss,
        .gather = &plan->gather,
        .split = &plan->split,
        .seed = plan->seed,
        .batch_size = plan->base.batch,
        .pool = compute_pool_new(reference, plan->dataset, plan->base.batch,
                                 compute_pool_threads(plan->pool)),
        .owns_pool = true,
        .batches_tracked = batches_tracked,
    };
    compute_pool_limit(setup.pool, plan->base.micro_batch);
    struct problem *problem = supervised_new(&setup);

    model_initialize(reference, state, setup.seed);
    const enum status s = probe_take(p, problem, reference, state);
    problem_free(problem);
    mem_free(state);
    mem_free(batches_tracked);
    return s;
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
static enum status check_tolerances(const struct trainer_check *c, const struct model *m)
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

static enum status check_against_reference(struct trainer *t)
{
    const struct model_options plain = {.convolution = CONVOLUTION_DIRECT, .no_fusion = true};
    const struct problem_setting setting = build_setting(t->build);
    const struct model *m = t->plan->model;
    struct model *reference = NULL;
    struct net *net = NULL;
    struct probe ours = {0}, theirs = {0};

    TRY(problem_setting_net(&setting, m->in, shape_size(m->out), &net));
    TRY(model_new_with(m->name, net, m->in, &plain, &reference));
    enum status s = probe_take(&ours, t->memory->problem, m, t->memory->state);
    if (s == STATUS_OK)
        s = probe_reference(&theirs, t->plan, reference);
    if (s == STATUS_OK)
        t->check = (struct trainer_check){
            .loss_error = fabs(ours.loss - theirs.loss) / fabs(theirs.loss),
            .gradient_error = distance(ours.gradient, theirs.gradient, m->param_count),
        };
    mem_free(ours.gradient);
    mem_free(theirs.gradient);
    model_free(reference);
    memset(t->memory->batches_tracked, 0,
           (size_t)m->tracked_count * sizeof *t->memory->batches_tracked);
    return s == STATUS_OK ? check_tolerances(&t->check, m) : s;
}

/* --- life --- */

/* Training takes the samples that there are; a measurement would bear the wrong name. */
static enum status check_batch(const struct trainer *t)
{
    const int64_t asked = t->config.train.batch_size, there = t->plan->split.train_count;

    if (asked <= there)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "--batch: %lld is more than the %lld samples of data set %s; use a smaller batch",
                (long long)asked, (long long)there, t->config.dataset.entry->name);
}

static enum status prepare_trainer(struct trainer *t)
{
    const struct optim_ops *optim = (const struct optim_ops *)t->config.optimizer.entry;

    if (optim->update == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "--optimizer: %s needs several gradients per step; bench supports the others",
                    optim->entry.name);
    TRY(world_open(&(struct world_request){.transport = "threads", .workers = 1}, &t->world));
    TRY(build_new(&t->config, &(struct build_size){.workers = 1, .host_workers = 1}, &t->build));
    t->plan = supervised_plan_find(t->build->plan);
    CHECK(t->plan != NULL); /* check_problem */
    TRY(check_batch(t));
    t->memory = worker_memory_new(t->build, 0);
    t->memory->worker.rates =
        (struct optim_rates){.lr = optim->lr(t->config.optimizer.options), .momentum = -1};
    return check_against_reference(t);
}

static enum status check_problem(const struct node *root)
{
    const struct node *section = node_find(root, "problem");
    const struct node *name =
        section != NULL && section->kind == NODE_MAP ? node_find(section, "name") : section;

    if (node_is_null(name) || name->kind != NODE_SCALAR || text_same_name(name->text, "supervised"))
        return STATUS_OK;
    return node_fail_key(name, "problem", NULL, "bench measures networks; problem %s has none",
                         name->text);
}

enum status trainer_new(struct node *root, struct trainer **trainer)
{
    struct trainer *t = MEM_NEW(struct trainer);
    enum status s = check_problem(root);

    if (s == STATUS_OK)
        s = trainer_fill_in(root);
    if (s == STATUS_OK)
        s = run_config_read(&t->config, root);
    if (s == STATUS_OK)
        s = prepare_trainer(t);
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
    worker_memory_free(t->memory);
    build_free(t->build);
    world_close(t->world);
    run_config_release(&t->config);
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
    struct worker *worker = &run->trainer->memory->worker;
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
    transport_compute_end(t);
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
    struct compute_context *context = compute_pool_take(t->plan->pool);
    const double peak = peak_fma(kernel_get(), context->team);

    compute_pool_give(t->plan->pool, context);
    return peak;
}

/* A round with a look at the clock after each stage. */
static enum status timed_round(struct trainer *t, struct trainer_stages *s)
{
    struct worker *w = &t->memory->worker;
    struct batch_result result;

    worker_take_gradient(w);
    const double start = clock_seconds();

    problem_draw(w->problem);
    const double drawn = clock_seconds();
    TRY(problem_gradient(w->problem, w->state, w->gradient, &result));
    const double computed = clock_seconds();
    worker_apply(w, w->optim, w->state, w->gradient, w->rates);
    s->gather += drawn - start;
    s->other += computed - drawn; /* less what the timer knows of, in the end */
    s->optimizer += clock_seconds() - computed;
    s->rounds++;
    worker_give_gradient(w);
    return STATUS_OK;
}

static void stages_per_round(struct trainer_stages *s, const struct model_timer *timer, int layers)
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
    const int layers = t->plan->model->layer_count;
    const double start = clock_seconds();

    *s = (struct trainer_stages){
        .forward = MEM_NEW_N(double, layers),
        .backward = MEM_NEW_N(double, layers),
    };
    struct model_timer timer = {.forward = s->forward, .backward = s->backward};

    enum status status;
    t->memory->problem->timer = &timer;
    do
        status = timed_round(t, s);
    while (status == STATUS_OK && clock_seconds() - start < seconds);
    t->memory->problem->timer = NULL;
    stages_per_round(s, &timer, layers);
    return status;
}

void trainer_stages_release(struct trainer_stages *s)
{
    mem_free(s->forward);
    mem_free(s->backward);
    *s = (struct trainer_stages){0};
}
