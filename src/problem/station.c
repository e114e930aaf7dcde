/*
 * station.c - a stack of free stations behind a mutex.
 *
 * Making a station allocates and starts threads, so that happens without the mutex.
 */
#include "problem/station.h"

#include <pthread.h>

#include "base/check.h"
#include "base/mem.h"

struct stations {
    const struct model *model;
    const struct dataset *dataset;
    int64_t batch, piece;
    int threads;

    pthread_mutex_t mutex; /* guards what follows */
    struct station *free;  /* the hottest first */
    int made, in_use;
};

static int64_t piece_of(const struct model *m, int64_t batch)
{
    return model_piece(m) < batch ? model_piece(m) : batch;
}

struct stations *stations_new(const struct model *model, const struct dataset *dataset,
                              int64_t batch, int threads)
{
    CHECK(batch >= 1 && threads >= 1);

    struct stations *s = MEM_NEW(struct stations);

    s->model = model;
    s->dataset = dataset;
    s->batch = batch;
    s->piece = piece_of(model, batch);
    s->threads = threads;
    pthread_mutex_init(&s->mutex, NULL);
    return s;
}

static struct station *make(const struct stations *s)
{
    struct station *station = MEM_NEW(struct station);

    station->team = team_new(s->threads);
    station->work = workspace_new(s->model, s->piece, s->threads);
    station->losses = MEM_NEW_N(float, s->batch);
    station->numbers = MEM_NEW_N(int64_t, s->batch);
    if (s->dataset->classes > 0)
        station->labels = MEM_NEW_N(int32_t, s->batch);
    else
        station->targets = MEM_NEW_N(float, s->batch * s->dataset->target_size);
    return station;
}

static void destroy(struct station *station)
{
    team_free(station->team);
    workspace_free(station->work);
    mem_free(station->losses);
    mem_free(station->numbers);
    mem_free(station->labels);
    mem_free(station->targets);
    mem_free(station);
}

void stations_free(struct stations *s)
{
    if (s == NULL)
        return;
    CHECK(s->in_use == 0);
    while (s->free != NULL) {
        struct station *station = s->free;

        s->free = station->next;
        destroy(station);
    }
    pthread_mutex_destroy(&s->mutex);
    mem_free(s);
}

struct station *station_take(struct stations *s)
{
    struct station *station;

    pthread_mutex_lock(&s->mutex);
    station = s->free;
    if (station != NULL)
        s->free = station->next;
    else
        s->made++;
    s->in_use++;
    pthread_mutex_unlock(&s->mutex);
    return station != NULL ? station : make(s);
}

void station_give(struct stations *s, struct station *station)
{
    pthread_mutex_lock(&s->mutex);
    CHECK(s->in_use > 0);
    station->next = s->free;
    s->free = station;
    s->in_use--;
    pthread_mutex_unlock(&s->mutex);
}

const struct model *stations_model(const struct stations *s)
{
    return s->model;
}

int64_t stations_batch(const struct stations *s)
{
    return s->batch;
}

int64_t stations_piece(const struct stations *s)
{
    return s->piece;
}

int stations_threads(const struct stations *s)
{
    return s->threads;
}

int stations_made(struct stations *s)
{
    pthread_mutex_lock(&s->mutex);
    const int made = s->made;

    pthread_mutex_unlock(&s->mutex);
    return made;
}

int64_t station_bytes(const struct model *model, const struct dataset *dataset, int64_t batch,
                      int threads)
{
    const int64_t targets = dataset->classes > 0 ? (int64_t)sizeof(int32_t)
                                                 : dataset->target_size * (int64_t)sizeof(float);

    return workspace_bytes(model, piece_of(model, batch), threads) +
           batch * (targets + (int64_t)(sizeof(float) + sizeof(int64_t)));
}
