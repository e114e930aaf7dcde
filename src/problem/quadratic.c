/*
 * quadratic.c - heterogeneous quadratics: drawing them, their gradients, their optimum, and their
 * plan for a run.
 *
 * All sums are in double: what an algorithm leaves between itself and the optimum is its own error,
 * not this file's.
 */
#include "problem/quadratic.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "problem/list.h"
#include "problem/problem_plan.h"

/* Draws of RNG_QUADRATIC. */
enum { DRAW_CURVATURE, DRAW_CENTER, DRAW_COMMON_CENTER };

struct quadratic_problem {
    struct problem base; /* first */
    const struct quadratic *q;
    int worker;
    const double *a, *b; /* [size], of this worker */
    int64_t next;        /* the batch that the next draw gives */
    int64_t first;       /* sample of the drawn batch */
};

static struct quadratic_problem *of(struct problem *p)
{
    return (struct quadratic_problem *)p;
}

static void draw_worker(struct quadratic *q, int worker)
{
    const struct quadratic_options *o = &q->options;
    const struct rng common = rng_make(o->seed, RNG_QUADRATIC, 0);
    const struct rng own = rng_make(o->seed, RNG_QUADRATIC, (uint32_t)worker);
    double *a = q->a + worker * o->size;
    double *b = q->b + worker * o->size;

    for (int64_t j = 0; j < o->size; j++) {
        a[j] = 0.5 + 1.5 * rng_uniform(&own, (uint64_t)j, DRAW_CURVATURE);
        b[j] = rng_normal(&common, (uint64_t)j, DRAW_COMMON_CENTER) +
               o->spread * rng_normal(&own, (uint64_t)j, DRAW_CENTER);
    }
}

static void find_optimum(struct quadratic *q)
{
    const int64_t n = q->options.size;
    const int workers = q->options.workers;

    for (int64_t j = 0; j < n; j++) {
        double sum_a = 0;
        double sum_ab = 0;

        for (int i = 0; i < workers; i++) {
            sum_a += q->a[i * n + j];
            sum_ab += q->a[i * n + j] * q->b[i * n + j];
        }
        q->mean_a[j] = sum_a / workers;
        q->optimum[j] = sum_ab / sum_a;
    }
}

void quadratic_init(struct quadratic *q, const struct quadratic_options *options)
{
    const int64_t n = options->size;

    CHECK(n > 0 && n <= UINT32_MAX && options->workers > 0);
    CHECK(options->samples >= 0 && options->batch >= 0);
    *q = (struct quadratic){
        .options = *options,
        .a = MEM_NEW_N(double, options->workers *n),
        .b = MEM_NEW_N(double, options->workers *n),
        .mean_a = MEM_NEW_N(double, n),
        .optimum = MEM_NEW_N(double, n),
    };
    q->options.samples = options->samples > 0 ? options->samples : 1;
    q->options.batch = options->batch > 0 ? options->batch : 1;
    for (int i = 0; i < options->workers; i++)
        draw_worker(q, i);
    find_optimum(q);
}

void quadratic_release(struct quadratic *q)
{
    mem_free(q->a);
    mem_free(q->b);
    mem_free(q->mean_a);
    mem_free(q->optimum);
    *q = (struct quadratic){0};
}

const double *quadratic_optimum(const struct quadratic *q)
{
    return q->optimum;
}

/* F is a quadratic too, of curvature mean_a around its optimum: nothing large cancels. */
double quadratic_excess(const struct quadratic *q, const float *x)
{
    double sum = 0;

    for (int64_t j = 0; j < q->options.size; j++) {
        const double off = (double)x[j] - q->optimum[j];
        sum += q->mean_a[j] * off * off / 2;
    }
    return sum;
}

static void quadratic_draw(struct problem *p)
{
    struct quadratic_problem *own = of(p);
    const struct quadratic_options *o = &own->q->options;
    const int64_t epoch = own->next / p->batches_per_epoch;
    const int64_t at = own->next % p->batches_per_epoch * o->batch, left = o->samples - at;

    own->next++;
    own->first = epoch * o->samples + at;
    p->batch_size = left < o->batch ? left : o->batch;
    p->batch_total = o->workers * p->batch_size;
}

/* Of the drawn samples, for coordinate j. */
static double summed_noise(const struct problem *p, const struct quadratic_problem *own, int64_t j)
{
    const struct quadratic_options *o = &own->q->options;
    const struct rng r = rng_make(o->seed, RNG_NOISE, (uint32_t)own->worker);
    double sum = 0;

    for (int64_t k = 0; o->noise > 0 && k < p->batch_size; k++)
        sum += o->noise * rng_normal(&r, (uint64_t)(own->first + k), (uint32_t)j);
    return sum;
}

static enum status quadratic_gradient(struct problem *p, float *state, float *gradient,
                                      struct batch_result *result)
{
    const struct quadratic_problem *own = of(p);
    const int64_t size = own->q->options.size;
    const double samples = (double)p->batch_size;
    const double divisor = p->global_batch > 0 ? (double)p->global_batch : samples;
    double loss = 0;

    for (int64_t j = 0; j < size; j++) {
        const double x = (double)state[j], off = x - own->b[j];
        const double noise = summed_noise(p, own, j);

        loss += samples * own->a[j] * off * off / 2 + noise * x;
        gradient[j] = (float)((samples * own->a[j] * off + noise) / divisor);
    }
    *result = (struct batch_result){.samples = p->batch_size, .loss_sum = loss};
    if (p->hook != NULL)
        p->hook->finished(p->hook->context, 0, size);
    return STATUS_OK;
}

enum { SUM_EXCESS, SUM_SQUARES, SUMS };

static const struct problem_metric quadratic_metrics[SUMS] = {
    {.name = "loss",            .better = METRIC_LOWER, .rows = {[PART_TEST] = "test_loss"}},
    { .name = "distance_to_optimum",
     .form = PROBLEM_ROOT_MEAN,
     .better = METRIC_LOWER,
     .rows = {[PART_TEST] = "distance_to_optimum"}},
};

/* The functions of the workers are the samples. Of f_i only the part counts that is quadratic
 * around the optimum: the linear ones cancel in the mean. */
static enum status quadratic_evaluate(struct problem *p, const float *state, enum problem_part part,
                                      struct evaluation_blocks *blocks)
{
    const struct quadratic *q = of(p)->q;
    const int64_t n = q->options.size, begin = blocks->first * EVALUATION_BLOCK;
    const int64_t left = p->part_counts[part] - begin, wanted = blocks->count * EVALUATION_BLOCK;

    memset(blocks->sums, 0, (size_t)(blocks->count * SUMS) * sizeof *blocks->sums);
    for (int64_t i = 0; i < wanted && i < left; i++) {
        double *sums = blocks->sums + i / EVALUATION_BLOCK * SUMS;

        for (int64_t j = 0; j < n; j++) {
            const double off = (double)state[j] - q->optimum[j];
            sums[SUM_EXCESS] += q->a[(begin + i) * n + j] * off * off / 2;
            sums[SUM_SQUARES] += off * off;
        }
    }
    return STATUS_OK;
}

static void quadratic_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    of(p)->next = epoch * p->batches_per_epoch + batch;
    p->batch_size = p->batch_total = 0;
}

static void quadratic_free(struct problem *p)
{
    mem_free(of(p));
}

struct problem *quadratic_new(const struct quadratic *q, int worker)
{
    const struct quadratic_options *o = &q->options;
    struct quadratic_problem *p = MEM_NEW(struct quadratic_problem);

    CHECK(worker >= 0 && worker < o->workers);
    p->q = q;
    p->worker = worker;
    p->a = q->a + worker * o->size;
    p->b = q->b + worker * o->size;
    p->base = (struct problem){
        .ops = &quadratic_problem,
        .param_count = o->size,
        .state_count = o->size,
        .part_counts = {o->workers, 0, o->workers},
        .batches_per_epoch = (o->samples + o->batch - 1) / o->batch,
        .own_samples = o->samples,
        .metrics = quadratic_metrics,
        .metric_count = SUMS,
    };
    return &p->base;
}

/* --- the plan of a run --- */

struct quadratic_section {
    int64_t size, samples;
    double spread, noise;
};

static const struct field quadratic_fields[] = {
    FIELD_INT(struct quadratic_section, size, 10, 1, 1e8, "parameters"),
    FIELD_INT(struct quadratic_section, samples, 6400, 1, 1e12,
              "samples of each worker in an epoch; all have the same loss but for the noise"),
    FIELD_REAL(struct quadratic_section, spread, 1, 0, 1e6,
               "distance between the minima of the workers (0: all have the same)"),
    FIELD_REAL(struct quadratic_section, noise, 0, 0, 1e6,
               "standard deviation of each element of a sample's gradient (0: exact gradients)"),
    FIELD_LAST,
};

struct quadratic_plan {
    struct problem_plan base; /* first */
    struct quadratic_options options;
    struct quadratic q; /* once it is started */
    struct tensor x;
    int64_t *counts; /* [workers] */
};

static void describe_state(struct quadratic_plan *own)
{
    const int64_t size = own->options.size;

    own->x = (struct tensor){
        .name = mem_text("x"),
        .kind = TENSOR_WEIGHT,
        .rank = 1,
        .dims = {size},
        .count = size,
        .rows = 1,
        .columns = size,
    };
    own->base.layout = (struct tensor_layout){
        .param_count = size,
        .state_count = size,
        .tensor_count = 1,
        .tensors = &own->x,
    };
}

/* A sample is a few numbers: there are no activations to save. */
static enum status quadratic_check(const struct problem_setting *s)
{
    if (s->micro_batch == 0)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT,
                "train.micro_batch: has no effect on problem quadratic, which has no network; "
                "leave it out");
}

static enum status quadratic_plan_new(const struct problem_setting *s,
                                      const struct problem_dry_run *dry, struct problem_plan **plan)
{
    const struct quadratic_section *o = s->problem->options;
    struct quadratic_plan *own = MEM_NEW(struct quadratic_plan);

    (void)dry; /* functions are made when it is started */
    own->base = (struct problem_plan){
        .ops = &quadratic_problem,
        .name = "quadratic",
        .part_counts = {s->workers, 0,                    s->workers},
        .workers = s->workers,
        .chance = (double)NAN,
        .validation_chance = (double)NAN,
        .cost = {.flops = 6.0 * (double)o->size,          .bytes = 24.0 * (double)o->size},
        .data_bytes = 16.0 * (double)s->workers * (double)o->size,
    };
    own->counts = MEM_NEW_N(int64_t, s->workers);
    for (int w = 0; w < s->workers; w++)
        own->counts[w] = o->samples;
    own->base.worker_samples = own->counts;
    problem_plan_count(&own->base, s);
    own->options = (struct quadratic_options){
        .size = o->size,
        .workers = s->workers,
        .seed = s->seed,
        .spread = o->spread,
        .noise = o->noise,
        .samples = o->samples,
        .batch = own->base.batch,
    };
    describe_state(own);
    *plan = &own->base;
    return STATUS_OK;
}

static void quadratic_plan_free(struct problem_plan *p)
{
    struct quadratic_plan *own = (struct quadratic_plan *)p;

    quadratic_release(&own->q);
    mem_free(own->x.name);
    mem_free(own->counts);
    mem_free(own);
}

static void quadratic_plan_start(struct problem_plan *p, struct team_pool *teams)
{
    struct quadratic_plan *own = (struct quadratic_plan *)p;

    (void)teams;
    quadratic_init(&own->q, &own->options);
}

static struct problem *quadratic_plan_problem(const struct problem_plan *p, int worker,
                                              int64_t *batches_tracked)
{
    (void)batches_tracked;
    return quadratic_new(&((const struct quadratic_plan *)p)->q, worker);
}

const struct problem_ops quadratic_problem = {
    .entry = {.name = "quadratic",
              .summary = "a quadratic function of each worker, with a known optimum of their mean",
              .fields = quadratic_fields,
              .options_size = sizeof(struct quadratic_section)},
    .check = quadratic_check,
    .plan = quadratic_plan_new,
    .plan_free = quadratic_plan_free,
    .start = quadratic_plan_start,
    .new = quadratic_plan_problem,
    .draw = quadratic_draw,
    .gradient = quadratic_gradient,
    .evaluate = quadratic_evaluate,
    .seek = quadratic_seek,
    .free = quadratic_free,
};
