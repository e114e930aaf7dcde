/*
 * sharpness.c - see sharpness.h.
 *
 * H v is (g(x + h v) - g(x - h v)) / 2 h: two gradients, no second derivatives in any layer. The
 * step h is a share of |x|: smaller ones lose digits of the gradients, which are floats.
 */
#include "study/sharpness.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/crc.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vector.h"
#include "study/landscape_losses.h"
#include "study/landscape_plane.h"
#include "train/saved_model.h"

enum { BATCHES = 16 };
static const double STEP = 1e-3;

/* --- the largest eigenvalue --- */

/* Vectors of one search, each [state_count] or [param_count]. */
struct hessian {
    struct problem *problem;
    const float *state;
    int64_t batches;
    double step;
    float *moved, *gradient;
    double *v, *product;
};

/* Gradients of batches are divided by all their samples: their sum is that of the mean loss. */
static void count_samples(struct hessian *h)
{
    int64_t samples = 0;

    problem_seek(h->problem, 0, 0);
    for (int64_t b = 0; b < h->batches; b++) {
        problem_draw(h->problem);
        samples += h->problem->batch_size;
    }
    h->problem->global_batch = samples;
}

/* product += factor x the gradient at x + offset v. */
static enum status add_gradient(struct hessian *h, double offset, double factor)
{
    struct problem *p = h->problem;

    problem_seek(p, 0, 0);
    for (int64_t b = 0; b < h->batches; b++) {
        struct batch_result r;

        problem_draw(p);
        if (p->batch_size == 0)
            continue;
        memcpy(h->moved, h->state, (size_t)p->state_count * sizeof *h->moved);
        for (int64_t k = 0; k < p->param_count; k++)
            h->moved[k] = (float)((double)h->state[k] + offset * h->v[k]);
        TRY(problem_gradient(p, h->moved, h->gradient, &r));
        for (int64_t k = 0; k < p->param_count; k++)
            h->product[k] += factor * (double)h->gradient[k];
    }
    return STATUS_OK;
}

/* product <- H v; quotient <- v^T H v, with |v| = 1. */
static enum status multiply(struct hessian *h, double *quotient)
{
    const int64_t count = h->problem->param_count;

    memset(h->product, 0, (size_t)count * sizeof *h->product);
    TRY(add_gradient(h, h->step, 1 / (2 * h->step)));
    TRY(add_gradient(h, -h->step, -1 / (2 * h->step)));
    *quotient = 0;
    for (int64_t k = 0; k < count; k++)
        *quotient += h->v[k] * h->product[k];
    return STATUS_OK;
}

static void start_vector(struct hessian *h, uint64_t seed)
{
    const int64_t count = h->problem->param_count;
    const struct rng r = rng_make(seed, RNG_LANDSCAPE, SHARPNESS_DIRECTIONS);

    for (int64_t k = 0; k < count; k++)
        h->v[k] = rng_normal(&r, (uint64_t)k, 0);
    const double norm = vector_norm(h->v, count);
    for (int64_t k = 0; k < count; k++)
        h->v[k] /= norm;
}

static enum status iterate(struct hessian *h, int iterations, double *eigenvalue)
{
    const int64_t count = h->problem->param_count;

    *eigenvalue = 0;
    for (int i = 0; i < iterations; i++) {
        TRY(multiply(h, eigenvalue));
        const double norm = vector_norm(h->product, count);

        if (!(norm > 0) || !isfinite(norm))
            return STATUS_OK;
        for (int64_t k = 0; k < count; k++)
            h->v[k] = h->product[k] / norm;
    }
    return STATUS_OK;
}

static double step_for(const float *state, int64_t count)
{
    double square = 0;

    for (int64_t k = 0; k < count; k++)
        square += (double)state[k] * (double)state[k];
    return STEP * fmax(sqrt(square), 1);
}

enum status sharpness_eigenvalue(struct problem *p, const float *state,
                                 const struct sharpness_search *search, double *eigenvalue)
{
    struct hessian h = {
        .problem = p,
        .state = state,
        .batches = search->batches < p->batches_per_epoch ? search->batches : p->batches_per_epoch,
        .step = step_for(state, p->param_count),
        .moved = MEM_NEW_N(float, p->state_count),
        .gradient = MEM_NEW_N(float, p->param_count),
        .v = MEM_NEW_N(double, p->param_count),
        .product = MEM_NEW_N(double, p->param_count),
    };

    count_samples(&h);
    start_vector(&h, search->seed);
    const enum status s = iterate(&h, search->iterations, eigenvalue);
    mem_free(h.moved);
    mem_free(h.gradient);
    mem_free(h.v);
    mem_free(h.product);
    return s;
}

/* --- the rise --- */

/* The model, and directions of which each state takes one. */
struct rise_work {
    int64_t params;
    float *model;       /* canonical */
    double *directions; /* [SHARPNESS_DIRECTIONS][params] */
};

/* The model itself, then one step along each direction. */
static void set_parameters(const void *context, int64_t i, float *canonical)
{
    const struct rise_work *w = context;

    memcpy(canonical, w->model, (size_t)w->params * sizeof *canonical);
    for (int64_t k = 0; i > 0 && k < w->params; k++)
        canonical[k] = (float)((double)w->model[k] +
                               SHARPNESS_RADIUS * w->directions[(i - 1) * w->params + k]);
}

static void set_directions(struct rise_work *w, const struct tensor_layout *layout, uint64_t seed)
{
    const struct landscape_states s = {.count = 1, .params = w->params, .values = w->model};
    const size_t bytes = (size_t)w->params * sizeof *w->directions;

    for (int i = 0; i < SHARPNESS_DIRECTIONS; i += 2) {
        struct landscape_plane p;

        landscape_plane_random(&s, layout, SCALE_FILTERS, seed + (uint64_t)i, &p);
        memcpy(w->directions + i * w->params, p.direction[0], bytes);
        memcpy(w->directions + (i + 1) * w->params, p.direction[1], bytes);
        landscape_plane_release(&p);
    }
}

static enum status measure_rise(const struct saved_model *m, uint64_t seed,
                                struct landscape_job *job, struct sharpness *s)
{
    const struct tensor_layout *layout = &m->build->layout;
    struct rise_work w = {
        .params = layout->param_count,
        .model = MEM_NEW_N(float, layout->param_count),
        .directions = MEM_NEW_N(double, SHARPNESS_DIRECTIONS * layout->param_count),
    };
    double losses[1 + SHARPNESS_DIRECTIONS] = {0};

    memcpy(w.model, m->state, (size_t)w.params * sizeof *w.model);
    tensor_layout_to_canonical(layout, w.model, m->state, layout->param_count);
    set_directions(&w, layout, seed);
    job->count = 1 + SHARPNESS_DIRECTIONS;
    job->set_parameters = set_parameters;
    job->context = &w;
    const enum status status = landscape_losses(job, losses);
    s->loss = losses[0];
    s->rise = 0;
    for (int i = 1; i <= SHARPNESS_DIRECTIONS; i++)
        s->rise += (losses[i] - losses[0]) / SHARPNESS_DIRECTIONS;
    mem_free(w.model);
    mem_free(w.directions);
    return status;
}

/* --- runs --- */

static enum status measure_eigenvalue(const struct saved_model *m, uint64_t seed,
                                      struct sharpness *s)
{
    struct problem *p = problem_new(m->build->plan, 0, m->batches_tracked);

    s->batches = BATCHES < p->batches_per_epoch ? BATCHES : p->batches_per_epoch;
    const enum status status = sharpness_eigenvalue(
        p, m->state, &(struct sharpness_search){BATCHES, SHARPNESS_ITERATIONS, seed},
        &s->eigenvalue);
    problem_free(p);
    return status;
}

/* All that the numbers depend on. */
static char *key_of(const struct saved_model *m, const struct landscape_job *job, uint64_t seed)
{
    const size_t bytes = (size_t)m->build->layout.state_count * sizeof *m->state;

    return text_format("1 seed %" PRIu64 " %s blocks %" PRId64 " model %08x %s", seed,
                       problem_part_name(job->part), job->blocks,
                       (unsigned)crc32c(0, m->state, bytes), m->build->data);
}

static enum status measure_model(const struct saved_model *m, const struct landscape_request *q,
                                 struct sharpness *s, bool *reused)
{
    struct landscape_job job = {.build = m->build};

    TRY(landscape_choose_samples(&job, q->samples, &s->data));
    s->key = key_of(m, &job, q->seed);
    *reused = !q->measures_again && sharpness_reuse(s);
    if (*reused)
        return STATUS_OK;
    TRY(measure_rise(m, q->seed, &job, s));
    TRY(measure_eigenvalue(m, q->seed, s));
    if (sharpness_write(s) != STATUS_OK)
        log_warning("%s", status_message());
    return STATUS_OK;
}

static enum status measure_run(const struct landscape_request *q, struct sharpness *s, bool *reused)
{
    struct saved_model m;

    TRY(saved_model_open(&m, s->dir, q->over));
    const enum status status = measure_model(&m, q, s, reused);
    saved_model_close(&m);
    return status;
}

enum status sharpness_measure(const struct landscape_request *q, struct sharpness_list *list)
{
    *list = (struct sharpness_list){0};
    TRY(landscape_check_data(q->runs));
    char **names = landscape_run_names(q->runs);
    enum status s = STATUS_OK;

    list->items = MEM_NEW_N(struct sharpness, q->runs->count);
    list->count = q->runs->count;
    for (int64_t i = 0; i < list->count; i++)
        list->items[i] = (struct sharpness){.name = names[i], .dir = mem_text(q->runs->paths[i])};
    mem_free(names);
    for (int64_t i = 0; i < list->count && s == STATUS_OK; i++) {
        bool reused = false;

        s = measure_run(q, &list->items[i], &reused);
        list->reused += reused ? 1 : 0;
    }
    if (s != STATUS_OK)
        sharpness_list_release(list);
    return s;
}
