/*
 * quadratic.c - heterogeneous quadratics: drawing them, their gradients, their optimum.
 *
 * All sums are in double: what an algorithm leaves between itself and the optimum is its own error,
 * not this file's.
 */
#include "problem/quadratic.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

/* Draws of RNG_QUADRATIC. */
enum { DRAW_CURVATURE, DRAW_CENTER, DRAW_COMMON_CENTER };

struct quadratic_problem {
    struct problem base; /* first */
    const struct quadratic *q;
    int worker;
    const double *a, *b; /* [size], of this worker */
    int64_t next;        /* the batch that the next draw gives */
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

    CHECK(n > 0 && n <= UINT32_MAX && options->workers > 0 && options->batches_per_epoch >= 0);
    *q = (struct quadratic){
        .options = *options,
        .a = MEM_NEW_N(double, options->workers *n),
        .b = MEM_NEW_N(double, options->workers *n),
        .mean_a = MEM_NEW_N(double, n),
        .optimum = MEM_NEW_N(double, n),
    };
    if (q->options.batches_per_epoch == 0)
        q->options.batches_per_epoch = 1;
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
    of(p)->next++;
    p->batch_size = 1;
    p->batch_total = of(p)->q->options.workers;
}

static void quadratic_gradient(struct problem *p, float *state, float *gradient,
                               struct batch_result *result)
{
    const struct quadratic_problem *own = of(p);
    const struct quadratic_options *o = &own->q->options;
    const struct rng r = rng_make(o->seed, RNG_NOISE, (uint32_t)own->worker);
    const uint64_t batch = (uint64_t)(own->next - 1);
    const double divisor = p->global_batch > 0 ? (double)p->global_batch : 1.0;
    double loss = 0;

    for (int64_t j = 0; j < o->size; j++) {
        const double x = (double)state[j];
        const double off = x - own->b[j];
        const double noise = o->noise > 0 ? o->noise * rng_normal(&r, batch, (uint32_t)j) : 0;

        loss += own->a[j] * off * off / 2 + noise * x;
        gradient[j] = (float)((own->a[j] * off + noise) / divisor);
    }
    *result = (struct batch_result){.samples = 1, .loss_sum = loss};
    if (p->hook != NULL)
        p->hook->finished(p->hook->context, 0, o->size);
}

static enum status quadratic_evaluate(struct problem *p, const float *state, enum problem_part part,
                                      struct evaluation *result)
{
    result->samples = p->part_counts[part];
    result->loss = quadratic_excess(of(p)->q, state);
    result->correct = result->correct5 = 0;
    return STATUS_OK;
}

static void quadratic_seek(struct problem *p, int64_t epoch, int64_t batch)
{
    of(p)->next = epoch * p->batches_per_epoch + batch;
}

static void quadratic_free(struct problem *p)
{
    mem_free(of(p));
}

static const struct problem_ops quadratic_ops = {
    .name = "quadratic",
    .draw = quadratic_draw,
    .gradient = quadratic_gradient,
    .evaluate = quadratic_evaluate,
    .seek = quadratic_seek,
    .free = quadratic_free,
};

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
        .ops = &quadratic_ops,
        .param_count = o->size,
        .state_count = o->size,
        .part_counts = {o->workers, o->workers, o->workers},
        .batches_per_epoch = o->batches_per_epoch,
    };
    return &p->base;
}
