/*
 * dealt_order.c - the orders of two epochs, guarded by a mutex.
 */
#include "data/dealt_order.h"

#include <pthread.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"

struct epoch_order {
    uint64_t seed;
    int64_t epoch;
    int64_t *items; /* [count]; NULL: no epoch so far */
};

struct dealt_order {
    const int64_t *samples; /* [count], borrowed */
    int64_t count;
    struct sample_files files; /* borrowed */
    pthread_mutex_t mutex;
    struct epoch_order orders[2]; /* of even and of odd epochs */
};

struct dealt_order *dealt_order_new(const int64_t *samples, int64_t count,
                                    struct sample_files files)
{
    struct dealt_order *d = MEM_NEW(struct dealt_order);

    d->samples = samples;
    d->count = count;
    d->files = files;
    pthread_mutex_init(&d->mutex, NULL);
    return d;
}

void dealt_order_free(struct dealt_order *d)
{
    if (d == NULL)
        return;
    mem_free(d->orders[0].items);
    mem_free(d->orders[1].items);
    pthread_mutex_destroy(&d->mutex);
    mem_free(d);
}

static void sort_epoch(const struct dealt_order *d, struct epoch_order *o)
{
    const struct rng r = rng_make(o->seed, RNG_ORDER, (uint32_t)o->epoch);

    if (o->items == NULL)
        o->items = MEM_NEW_N(int64_t, d->count);
    memcpy(o->items, d->samples, (size_t)d->count * sizeof *o->items);
    file_order(&r, &d->files, o->items, d->count);
}

void dealt_order_take(struct dealt_order *d, uint64_t seed, int64_t epoch,
                      const struct dealt_share *share)
{
    struct epoch_order *o = &d->orders[epoch % 2];

    CHECK(share->first + (share->count - 1) * share->step < d->count);
    pthread_mutex_lock(&d->mutex);
    if (o->items == NULL || o->epoch != epoch || o->seed != seed) {
        o->seed = seed;
        o->epoch = epoch;
        sort_epoch(d, o);
    }
    for (int64_t i = 0; i < share->count; i++)
        share->items[i] = o->items[share->first + i * share->step];
    pthread_mutex_unlock(&d->mutex);
}
