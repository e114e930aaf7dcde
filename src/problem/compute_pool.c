/*
 * compute_pool.c - a stack of free compute contexts, guarded by a mutex.
 *
 * Making a context allocates, so that happens without the mutex.
 */
#include "problem/compute_pool.h"

#include <pthread.h>

#include "base/check.h"
#include "base/mem.h"

struct compute_pool {
    const struct model *model;
    const struct dataset *dataset;
    int64_t batch, piece;
    struct team_pool *teams;
    bool owns_teams;

    pthread_mutex_t mutex;        /* guards what follows */
    struct compute_context *free; /* the hottest first */
    int made, in_use;
};

static int64_t piece_of(const struct model *m, int64_t most)
{
    return model_piece(m) < most ? model_piece(m) : most;
}

/* Whether pieces are added here, because the model's layers cannot. */
static bool adds_pieces(const struct model *m, int64_t piece, int64_t batch)
{
    return piece < batch && model_piece(m) == INT64_MAX;
}

struct compute_pool *compute_pool_new_of(const struct model *model, const struct dataset *dataset,
                                         int64_t batch, struct team_pool *teams)
{
    CHECK(batch >= 1);

    struct compute_pool *s = MEM_NEW(struct compute_pool);

    s->model = model;
    s->dataset = dataset;
    s->batch = batch;
    s->piece = piece_of(model, batch);
    s->teams = teams;
    pthread_mutex_init(&s->mutex, NULL);
    return s;
}

struct compute_pool *compute_pool_new(const struct model *model, const struct dataset *dataset,
                                      int64_t batch, int threads)
{
    struct compute_pool *s = compute_pool_new_of(model, dataset, batch, team_pool_new(threads));

    s->owns_teams = true;
    return s;
}

void compute_pool_limit(struct compute_pool *s, int64_t most)
{
    CHECK(most >= 1 && s->made == 0);
    if (most < s->piece)
        s->piece = most;
}

static struct compute_context *make(const struct compute_pool *s)
{
    struct compute_context *context = MEM_NEW(struct compute_context);

    context->work = workspace_new(s->model, s->piece, compute_pool_threads(s));
    if (adds_pieces(s->model, s->piece, s->batch)) {
        context->piece = MEM_NEW_N(float, s->model->state_count);
        context->sums = MEM_NEW_N(double, s->model->state_count - s->model->param_count);
    }
    context->losses = MEM_NEW_N(float, s->batch);
    context->numbers = MEM_NEW_N(int64_t, s->batch);
    if (s->dataset->classes > 0)
        context->labels = MEM_NEW_N(int32_t, s->batch);
    else
        context->targets = MEM_NEW_N(float, s->batch * s->dataset->target_size);
    return context;
}

static void destroy(struct compute_context *context)
{
    workspace_free(context->work);
    mem_free(context->piece);
    mem_free(context->sums);
    mem_free(context->losses);
    mem_free(context->numbers);
    mem_free(context->labels);
    mem_free(context->targets);
    mem_free(context);
}

void compute_pool_free(struct compute_pool *s)
{
    if (s == NULL)
        return;
    CHECK(s->in_use == 0);
    while (s->free != NULL) {
        struct compute_context *context = s->free;

        s->free = context->next;
        destroy(context);
    }
    if (s->owns_teams)
        team_pool_free(s->teams);
    pthread_mutex_destroy(&s->mutex);
    mem_free(s);
}

struct compute_context *compute_pool_take(struct compute_pool *s)
{
    struct compute_context *context;

    pthread_mutex_lock(&s->mutex);
    context = s->free;
    if (context != NULL)
        s->free = context->next;
    else
        s->made++;
    s->in_use++;
    pthread_mutex_unlock(&s->mutex);
    if (context == NULL)
        context = make(s);
    context->team = team_pool_take(s->teams);
    return context;
}

void compute_pool_give(struct compute_pool *s, struct compute_context *context)
{
    team_pool_give(s->teams, context->team);
    context->team = NULL;
    pthread_mutex_lock(&s->mutex);
    CHECK(s->in_use > 0);
    context->next = s->free;
    s->free = context;
    s->in_use--;
    pthread_mutex_unlock(&s->mutex);
}

const struct model *compute_pool_model(const struct compute_pool *s)
{
    return s->model;
}

int64_t compute_pool_batch(const struct compute_pool *s)
{
    return s->batch;
}

int64_t compute_pool_piece(const struct compute_pool *s)
{
    return s->piece;
}

int compute_pool_threads(const struct compute_pool *s)
{
    return team_pool_threads(s->teams);
}

int compute_pool_made(struct compute_pool *s)
{
    pthread_mutex_lock(&s->mutex);
    const int made = s->made;

    pthread_mutex_unlock(&s->mutex);
    return made;
}

static int64_t piece_bytes(const struct model *m)
{
    return m->state_count * (int64_t)sizeof(float) +
           (m->state_count - m->param_count) * (int64_t)sizeof(double);
}

int64_t compute_context_bytes(const struct model *model, const struct dataset *dataset,
                              const struct compute_size *size)
{
    const int64_t targets = dataset->classes > 0 ? (int64_t)sizeof(int32_t)
                                                 : dataset->target_size * (int64_t)sizeof(float);
    const int64_t piece = piece_of(model, size->most < size->batch ? size->most : size->batch);

    return workspace_bytes(model, piece, size->threads) +
           (adds_pieces(model, piece, size->batch) ? piece_bytes(model) : 0) +
           size->batch * (targets + (int64_t)(sizeof(float) + sizeof(int64_t)));
}
