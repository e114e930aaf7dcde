/*
 * desk.c - the memory of a desk, and its lock.
 */
#include "algo/desk.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

void desk_init(struct desk *d)
{
    *d = (struct desk){.asked = DESK_NOBODY, .held = DESK_NOBODY};
    pthread_mutex_init(&d->mutex, NULL);
}

void desk_release(struct desk *d)
{
    pthread_mutex_destroy(&d->mutex);
    mem_free(d->x);
    mem_free(d->held_x);
    *d = (struct desk){0};
}

void desk_open(struct desk *d, const float *state, int64_t count)
{
    desk_lock(d);
    CHECK(d->x == NULL);
    d->count = count;
    d->x = MEM_NEW_N(float, count);
    d->held_x = MEM_NEW_N(float, count);
    memcpy(d->x, state, (size_t)count * sizeof *state);
    desk_unlock(d);
}

void desk_lock(struct desk *d)
{
    pthread_mutex_lock(&d->mutex);
}

void desk_unlock(struct desk *d)
{
    pthread_mutex_unlock(&d->mutex);
}

void desk_read(struct desk *d, float *out)
{
    desk_lock(d);
    CHECK(d->x != NULL);
    memcpy(out, d->x, (size_t)d->count * sizeof *out);
    desk_unlock(d);
}
