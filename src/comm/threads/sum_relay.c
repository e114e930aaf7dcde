/*
 * sum_relay.c - sums of workers that share cores: one after the other adds its vector to the sum.
 *
 * A worker that posts its vector adds it to the sum of those before it in rank, and after it those
 * that have posted already and have waited for it; so the order is that of the ranks, and most is
 * added while others still compute, by the core that has the vector in its cache. Whoever adds the
 * last vector completes the sum, and each worker takes a copy of it when it goes on.
 *
 * Those that wait have given their slots back. The one that completes the sum asks for new ones for
 * all of them, in rank order, so that each wakes up once, when it may compute, and they come back
 * with their next vectors in that order.
 *
 * Not here: sums of workers that have a core each (sum_parallel.c); what a failure needs is there
 * too.
 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "comm/sum.h"
#include "comm/threads/internal.h"

void sum_relay_init(struct sum_relay *r, int workers)
{
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->over, NULL);
    r->has_posted = MEM_NEW_N(bool, workers);
    r->inputs = MEM_NEW_N(const void *, workers + 1);
}

void sum_relay_release(struct sum_relay *r)
{
    mem_free(r->sums[0]);
    mem_free(r->sums[1]);
    mem_free(r->inputs);
    mem_free(r->has_posted);
    pthread_cond_destroy(&r->over);
    pthread_mutex_destroy(&r->mutex);
}

bool sum_relay_is_over(const struct threads_endpoint *e)
{
    const struct threads_world *w = e->world;

    return atomic_load_explicit(&w->relay.completed, memory_order_acquire) >= e->awaited ||
           failure_is_set(&w->failure);
}

/* With the lock held. */
static void wake_all(struct threads_world *w)
{
    pthread_cond_broadcast(&w->relay.over);
    for (int i = 0; i < w->base.workers; i++) {
        struct threads_endpoint *e = threads_endpoint_at(w, i);

        if (e->is_parked)
            core_slots_ask(w->slots, &e->slot_holder);
        e->is_parked = false;
    }
}

void sum_relay_wake(struct threads_world *w)
{
    pthread_mutex_lock(&w->relay.mutex);
    wake_all(w);
    pthread_mutex_unlock(&w->relay.mutex);
}

/* --- adding --- */

static void *sum_buffer(struct sum_relay *r, int which, size_t bytes)
{
    if (r->capacity[which] < bytes) {
        mem_free(r->sums[which]);
        r->sums[which] = mem_alloc((int64_t)bytes, 1);
        r->capacity[which] = bytes;
    }
    return r->sums[which];
}

/* The vectors of workers first .. end - 1, of which all before are in the sum. */
static enum status add_some(struct threads_endpoint *e, int first, int end)
{
    struct threads_world *w = e->world;
    const struct sum *s = &w->posted[0];
    const size_t bytes = (size_t)s->count * sum_type_size(s->type);
    struct reduction r = {.type = s->type, .inputs = end - first, .outputs = 1, .end = s->count};

    for (int i = first; i < end; i++)
        if (w->posted[i].count != s->count || w->posted[i].type != s->type)
            return sum_refuse_mismatch(w, i);

    void *sum = first == 0 ? sum_buffer(&w->relay, (int)(e->awaited % 2), bytes)
                           : w->relay.sums[e->awaited % 2];

    r.in = w->relay.inputs + 1 + first;
    r.out = &sum;
    if (first > 0) { /* in the place of the worker before, which is in the sum */
        w->relay.inputs[first] = sum;
        r.in--;
        r.inputs++;
    }
    atomic_fetch_add(&w->adding, 1);
    if (!failure_is_set(&w->failure))
        sum_in_order(&r);
    atomic_fetch_sub(&w->adding, 1);
    return STATUS_OK;
}

static int posted_end(const struct sum_relay *r, int workers)
{
    int end = r->added;

    while (end < workers && r->has_posted[end])
        end++;
    return end;
}

/* With the lock held, which is given up while a vector is added. */
static enum status add_posted(struct threads_endpoint *e)
{
    struct sum_relay *r = &e->world->relay;
    const int workers = e->base.workers;

    for (int end = posted_end(r, workers); end > r->added; end = posted_end(r, workers)) {
        pthread_mutex_unlock(&r->mutex);
        const enum status s = add_some(e, r->added, end);
        pthread_mutex_lock(&r->mutex);
        TRY(s);
        r->added = end;
    }
    return STATUS_OK;
}

/* With the lock held. */
static void complete(struct threads_world *w)
{
    struct sum_relay *r = &w->relay;

    r->added = 0;
    memset(r->has_posted, 0, (size_t)w->base.workers * sizeof *r->has_posted);
    atomic_fetch_add_explicit(&r->completed, 1, memory_order_release);
    wake_all(w);
}

enum status sum_relay_start(struct threads_endpoint *e, const struct sum *s)
{
    struct sum_relay *r = &e->world->relay;
    const int rank = e->base.rank;
    enum status status = STATUS_OK;

    r->inputs[1 + rank] = s->data;
    e->awaited++;
    e->phase = SUM_ADDED;
    pthread_mutex_lock(&r->mutex);
    r->has_posted[rank] = true;
    if (!r->is_adding) {
        r->is_adding = true;
        status = add_posted(e);
        r->is_adding = false;
        if (r->added == e->base.workers)
            complete(e->world);
    }
    pthread_mutex_unlock(&r->mutex);
    return status;
}

/* --- waiting --- */

static void park(struct threads_endpoint *e)
{
    struct sum_relay *r = &e->world->relay;
    const double since = clock_seconds();

    pthread_mutex_lock(&r->mutex);
    if (!e->base.is_computing) {
        while (!sum_relay_is_over(e))
            pthread_cond_wait(&r->over, &r->mutex);
    } else {
        e->is_parked = !sum_relay_is_over(e);
    }
    const bool is_parked = e->is_parked;
    pthread_mutex_unlock(&r->mutex);
    if (is_parked) {
        core_slots_give(e->world->slots, &e->slot_holder);
        core_slots_await(e->world->slots, &e->slot_holder);
    }
    e->base.counters.waiting += clock_seconds() - since;
}

enum status sum_relay_wait(struct threads_endpoint *e)
{
    struct threads_world *w = e->world;
    const struct sum *s = &w->posted[e->base.rank];

    if (!sum_relay_is_over(e))
        park(e);
    if (failure_is_set(&w->failure))
        return sum_leave_failed(e);
    if (s->count > 0)
        memcpy(s->data, w->relay.sums[e->awaited % 2], (size_t)s->count * sum_type_size(s->type));
    e->phase = SUM_NONE;
    return STATUS_OK;
}
