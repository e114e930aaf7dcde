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
 * Several sums may be under way; each has its own adder. A result is copied by all, and its buffer
 * is then free for another sum.
 *
 * Not here: sums of workers that have a core each (sum_parallel.c).
 */
#include <string.h>

#include "base/clock.h"
#include "comm/threads/internal.h"

bool sum_relay_is_over(const struct threads_endpoint *e, sum_ticket ticket)
{
    const struct relayed_sum *x = &threads_sum_at(e->world, ticket)->relayed;

    return atomic_load_explicit(&x->completed, memory_order_acquire) > ticket / SUM_RING ||
           failure_is_set(&e->world->failure);
}

/* With the lock held: all that wait for something that is over. */
static void wake_all(struct threads_world *w)
{
    pthread_cond_broadcast(&w->relay.over);
    for (int i = 0; i < w->base.workers; i++) {
        struct threads_endpoint *e = threads_endpoint_at(w, i);

        if (!e->is_parked || !sum_relay_is_over(e, e->awaited))
            continue;
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

/* The vectors of workers first .. end - 1, of which all before are in the sum. */
static enum status add_some(struct threads_endpoint *e, struct threads_sum *x, int first, int end)
{
    const struct sum *s = &x->posted[0];
    struct reduction r = {.type = s->type, .inputs = end - first, .outputs = 1, .end = s->count};
    void **inputs = x->vectors + 1 + first;

    for (int i = first; i < end; i++)
        if (!threads_sum_matches(x, i))
            return threads_sum_refuse_mismatch(e, x, i);
    if (first > 0) { /* in the place of the worker before, which is in the sum */
        *--inputs = x->relayed.result->data;
        r.inputs++;
    }
    r.in = (const void *const *)inputs;
    r.out = &x->relayed.result->data;
    threads_sum_add(e->world, &r);
    return STATUS_OK;
}

static int posted_end(const struct relayed_sum *x, int workers)
{
    int end = x->added;

    while (end < workers && x->has_posted[end])
        end++;
    return end;
}

/* With the lock held. */
static void take_result(struct threads_world *w, struct threads_sum *x)
{
    const struct sum *s = &x->posted[0];
    const size_t bytes = (size_t)s->count * sum_type_size(s->type);

    x->relayed.result = sum_buffer_take(w->relay.results, SUM_RING, bytes);
    atomic_store(&x->relayed.untaken, w->base.workers);
}

/* With the lock held, which is given up while a vector is added. */
static enum status add_posted(struct threads_endpoint *e, struct threads_sum *x)
{
    struct sum_relay *r = &e->world->relay;
    const int workers = e->base.workers;

    for (int end = posted_end(&x->relayed, workers); end > x->relayed.added;
         end = posted_end(&x->relayed, workers)) {
        if (x->relayed.added == 0)
            take_result(e->world, x);
        pthread_mutex_unlock(&r->mutex);
        const enum status s = add_some(e, x, x->relayed.added, end);
        pthread_mutex_lock(&r->mutex);
        TRY(s);
        x->relayed.added = end;
    }
    return STATUS_OK;
}

/* With the lock held. */
static void complete(struct threads_world *w, struct relayed_sum *x)
{
    x->added = 0;
    memset(x->has_posted, 0, (size_t)w->base.workers * sizeof *x->has_posted);
    atomic_fetch_add_explicit(&x->completed, 1, memory_order_release);
    wake_all(w);
}

enum status sum_relay_start(struct threads_endpoint *e, sum_ticket ticket)
{
    struct sum_relay *r = &e->world->relay;
    struct threads_sum *x = threads_sum_at(e->world, ticket);
    enum status status = STATUS_OK;

    *threads_sum_phase(e, ticket) = SUM_ADDED;
    pthread_mutex_lock(&r->mutex);
    x->relayed.has_posted[e->base.rank] = true;
    if (!x->relayed.is_adding) {
        x->relayed.is_adding = true;
        status = add_posted(e, x);
        x->relayed.is_adding = false;
        if (x->relayed.added == e->base.workers)
            complete(e->world, &x->relayed);
    }
    pthread_mutex_unlock(&r->mutex);
    return status;
}

/* --- waiting --- */

static void park(struct threads_endpoint *e, sum_ticket ticket)
{
    struct sum_relay *r = &e->world->relay;
    const double since = clock_seconds();

    pthread_mutex_lock(&r->mutex);
    e->awaited = ticket;
    if (!e->base.is_computing) {
        while (!sum_relay_is_over(e, ticket))
            pthread_cond_wait(&r->over, &r->mutex);
    } else {
        e->is_parked = !sum_relay_is_over(e, ticket);
    }
    const bool is_parked = e->is_parked;
    pthread_mutex_unlock(&r->mutex);
    if (is_parked) {
        core_slots_give(e->world->slots, &e->slot_holder);
        core_slots_await(e->world->slots, &e->slot_holder);
    }
    e->base.counters.waiting += clock_seconds() - since;
}

/* The last worker that copies the result makes its buffer free. */
static void copy_result(struct threads_endpoint *e, struct threads_sum *x)
{
    struct sum_relay *r = &e->world->relay;
    const struct sum *s = &x->posted[e->base.rank];
    struct sum_buffer *result = x->relayed.result;

    if (s->count > 0)
        memcpy(s->data, result->data, (size_t)s->count * sum_type_size(s->type));
    if (atomic_fetch_sub(&x->relayed.untaken, 1) > 1)
        return;
    pthread_mutex_lock(&r->mutex);
    result->is_used = false;
    pthread_mutex_unlock(&r->mutex);
}

enum status sum_relay_wait(struct threads_endpoint *e, sum_ticket ticket)
{
    if (!sum_relay_is_over(e, ticket))
        park(e, ticket);
    if (failure_is_set(&e->world->failure))
        return threads_sum_leave_failed(e);
    copy_result(e, threads_sum_at(e->world, ticket));
    *threads_sum_phase(e, ticket) = SUM_NONE;
    return STATUS_OK;
}
