/*
 * scratch.c - a stack of free vectors, guarded by a mutex; and what each worker has of them.
 */
#include "algo/scratch.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>

#include "base/check.h"
#include "base/mem.h"

/* Room for a double before or after a state. */
enum { EXTRA_FLOATS = sizeof(double) / sizeof(float) };

struct scratch_pool {
    struct scratch_pool_setup setup;
    pthread_mutex_t mutex; /* guards what follows */
    float **free;          /* [made], of which free_count are in use */
    int free_count, made;
};

struct scratch_pool *scratch_pool_new(const struct scratch_pool_setup *setup)
{
    CHECK(setup->count >= 0 && setup->workers >= 1 && setup->cores >= 1);

    struct scratch_pool *p = MEM_NEW(struct scratch_pool);

    p->setup = *setup;
    pthread_mutex_init(&p->mutex, NULL);
    return p;
}

void scratch_pool_free(struct scratch_pool *p)
{
    if (p == NULL)
        return;
    CHECK(p->free_count == p->made);
    for (int i = 0; i < p->made; i++)
        mem_free(p->free[i]);
    mem_free(p->free);
    pthread_mutex_destroy(&p->mutex);
    mem_free(p);
}

int scratch_pool_made(struct scratch_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    const int made = p->made;

    pthread_mutex_unlock(&p->mutex);
    return made;
}

static float *pool_take(struct scratch_pool *p)
{
    float *x = NULL;

    pthread_mutex_lock(&p->mutex);
    if (p->free_count > 0) {
        x = p->free[--p->free_count];
    } else {
        p->made++;
        p->free = mem_grow(p->free, p->made, sizeof *p->free);
    }
    pthread_mutex_unlock(&p->mutex);
    return x != NULL ? x : MEM_NEW_N(float, p->setup.count + EXTRA_FLOATS);
}

static void pool_give(struct scratch_pool *p, float *x)
{
    pthread_mutex_lock(&p->mutex);
    CHECK(p->free_count < p->made);
    p->free[p->free_count++] = x;
    pthread_mutex_unlock(&p->mutex);
}

static bool keeps_vectors(const struct scratch_pool *p)
{
    return p->setup.workers <= p->setup.cores;
}

static void poison(const struct scratch_pool *p, float *x)
{
    for (int64_t i = 0; p->setup.poisons && i < p->setup.count + EXTRA_FLOATS; i++)
        x[i] = NAN;
}

/* One that is kept, else an empty place. */
static int find_place(const struct scratch *s)
{
    int empty = -1;

    for (int i = SCRATCH_MAX - 1; i >= 0; i--) {
        if (s->vectors[i] != NULL && !s->is_taken[i])
            return i;
        if (s->vectors[i] == NULL)
            empty = i;
    }
    CHECK(empty >= 0);
    return empty;
}

float *scratch_take(struct scratch *s)
{
    const int i = find_place(s);

    if (s->vectors[i] == NULL)
        s->vectors[i] = pool_take(s->pool);
    s->is_taken[i] = true;
    poison(s->pool, s->vectors[i]);
    return s->vectors[i];
}

void scratch_give(struct scratch *s, float *x)
{
    int i = 0;

    if (x == NULL)
        return;
    while (i < SCRATCH_MAX && s->vectors[i] != x)
        i++;
    CHECK(i < SCRATCH_MAX && s->is_taken[i]);
    s->is_taken[i] = false;
    if (keeps_vectors(s->pool))
        return;
    pool_give(s->pool, x);
    s->vectors[i] = NULL;
}

void scratch_release(struct scratch *s)
{
    for (int i = 0; i < SCRATCH_MAX; i++) {
        if (s->vectors[i] != NULL)
            pool_give(s->pool, s->vectors[i]);
        s->vectors[i] = NULL;
        s->is_taken[i] = false;
    }
}

bool scratch_waits_first(const struct scratch *s)
{
    const struct scratch_pool_setup *setup = &s->pool->setup;

    return setup->workers > SCRATCH_PER_CORE * setup->cores;
}
