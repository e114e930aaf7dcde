/*
 * problem_plan.c - the checked functions of every plan, and what all plans compute alike.
 */
#include "problem/problem_plan.h"

#include "base/check.h"
#include "base/text.h"
#include "problem/list.h"

static const struct problem_ops *ops_of(const struct problem_setting *s)
{
    return (const struct problem_ops *)s->problem->entry;
}

enum status problem_check(const struct problem_setting *s)
{
    return ops_of(s)->check == NULL ? STATUS_OK : ops_of(s)->check(s);
}

enum status problem_plan_new(const struct problem_setting *s, const struct problem_dry_run *dry,
                             struct problem_plan **plan)
{
    *plan = NULL;
    TRY(ops_of(s)->plan(s, dry, plan));
    CHECK(*plan == NULL || ((*plan)->batch > 0 && (*plan)->workers == s->workers));
    return STATUS_OK;
}

void problem_plan_free(struct problem_plan *p)
{
    if (p != NULL)
        p->ops->plan_free(p);
}

int64_t problem_plan_batches(const struct problem_plan *p, int worker)
{
    return (p->worker_samples[worker] + p->batch - 1) / p->batch;
}

void problem_plan_count(struct problem_plan *p, const struct problem_setting *s)
{
    int64_t largest = 0, least = INT64_MAX, most = 0;

    for (int w = 0; w < p->workers; w++)
        largest = p->worker_samples[w] > largest ? p->worker_samples[w] : largest;
    p->batch = s->batch_size < largest ? s->batch_size : largest;
    p->micro_batch = s->micro_batch > 0 && s->micro_batch < p->batch ? s->micro_batch : p->batch;
    p->all_batches = 0;
    for (int w = 0; w < p->workers; w++) {
        const int64_t n = problem_plan_batches(p, w);

        least = n < least ? n : least;
        most = n > most ? n : most;
        p->all_batches += n;
    }
    p->epoch_batches = 0;
    if (s->is_synchronous)
        p->epoch_batches = s->uneven == UNEVEN_POLICY_SHORTEST ? least : most;
}

char *problem_plan_batch_text(const struct problem_plan *p, int64_t batch)
{
    if (p->micro_batch == p->batch)
        return text_format("%lld", (long long)batch);
    return text_format("%lld in parts of %lld", (long long)batch, (long long)p->micro_batch);
}

void problem_plan_start(struct problem_plan *p, struct team_pool *teams)
{
    if (p->ops->start != NULL)
        p->ops->start(p, teams);
}

struct problem *problem_new(const struct problem_plan *p, int worker, int64_t *batches_tracked)
{
    CHECK(worker >= 0 && worker < p->workers);

    struct problem *own = p->ops->new (p, worker, batches_tracked);

    own->own_samples = p->worker_samples[worker];
    own->cost = p->cost;
    return own;
}

struct problem *problem_new_evaluator(const struct problem_plan *p, int threads)
{
    return p->ops->evaluator == NULL ? p->ops->new (p, 0, NULL) : p->ops->evaluator(p, threads);
}

uint32_t problem_fingerprint(const struct problem_plan *p)
{
    return p->ops->fingerprint == NULL ? 0 : p->ops->fingerprint(p);
}

double problem_memory(const struct problem_plan *p, struct problem_batch batch, int threads)
{
    return p->ops->memory == NULL ? 0 : p->ops->memory(p, batch, threads);
}

double problem_memory_ahead(const struct problem_plan *p, struct problem_batch batch)
{
    return p->ops->memory_ahead == NULL ? 0 : p->ops->memory_ahead(p, batch);
}

bool problem_images(const struct problem_plan *p, int64_t most, struct problem_images *images)
{
    return p->ops->images != NULL && p->ops->images(p, most, images);
}

bool problem_map(const struct problem_plan *p, struct problem_map *map)
{
    return p->ops->map != NULL && p->ops->map(p, map);
}

bool problem_grid_map(const struct problem_plan *p, const float *values, float *map)
{
    return p->ops->grid_map != NULL && p->ops->grid_map(p, values, map);
}

enum status problem_write_files(const struct problem_plan *p, const char *run_dir)
{
    return p->ops->write_files == NULL ? STATUS_OK : p->ops->write_files(p, run_dir);
}

bool problem_position(const struct problem_plan *p, int worker, int64_t draw, double *xy)
{
    CHECK(worker >= 0 && worker < p->workers && draw >= 0);
    return p->ops->position != NULL && p->ops->position(p, worker, draw, xy);
}

bool problem_scan(const struct problem_plan *p, int worker, int64_t draw, struct problem_scan *scan)
{
    CHECK(worker >= 0 && worker < p->workers && draw >= 0);
    return p->ops->scan != NULL && p->ops->scan(p, worker, draw, scan);
}
