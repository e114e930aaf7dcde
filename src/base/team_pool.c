/*
 * team_pool.c - a stack of free teams, guarded by a mutex.
 *
 * Making a team starts threads, so that happens without the mutex.
 */
#include "base/team_pool.h"

#include <pthread.h>

#include "base/check.h"
#include "base/mem.h"

struct team_pool {
    int threads;

    pthread_mutex_t mutex; /* guards what follows */
    struct team **free;    /* [made], the hottest last */
    int free_count, made;
};

struct team_pool *team_pool_new(int threads)
{
    CHECK(threads >= 1);

    struct team_pool *p = MEM_NEW(struct team_pool);

    p->threads = threads;
    pthread_mutex_init(&p->mutex, NULL);
    return p;
}

void team_pool_free(struct team_pool *p)
{
    if (p == NULL)
        return;
    CHECK(p->free_count == p->made);
    for (int i = 0; i < p->made; i++)
        team_free(p->free[i]);
    pthread_mutex_destroy(&p->mutex);
    mem_free(p->free);
    mem_free(p);
}

struct team *team_pool_take(struct team_pool *p)
{
    struct team *team = NULL;

    pthread_mutex_lock(&p->mutex);
    if (p->free_count > 0)
        team = p->free[--p->free_count];
    else
        p->free = mem_grow(p->free, ++p->made, sizeof(struct team *));
    pthread_mutex_unlock(&p->mutex);
    return team != NULL ? team : team_new(p->threads);
}

void team_pool_give(struct team_pool *p, struct team *team)
{
    pthread_mutex_lock(&p->mutex);
    CHECK(p->free_count < p->made);
    p->free[p->free_count++] = team;
    pthread_mutex_unlock(&p->mutex);
}

int team_pool_threads(const struct team_pool *p)
{
    return p->threads;
}

int team_pool_made(struct team_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    const int made = p->made;

    pthread_mutex_unlock(&p->mutex);
    return made;
}
