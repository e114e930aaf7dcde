/*
 * relay.c - sums of workers that share cores: one after the other adds its vector to the sum.
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
 * Not here: sums of workers that have a core each (meeting.c); what a failure needs is there too.
 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "comm/reduce.h"
#include "comm/threads/hub.h"

void relay_init(struct relay *r, int workers)
{
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->over, NULL);
    r->has_posted = MEM_NEW_N(bool, workers);
    r->inputs = MEM_NEW_N(const void *, workers + 1);
}

void relay_release(struct relay *r)
{
    mem_free(r->sums[0]);
    mem_free(r->sums[1]);
    mem_free(r->inputs);
    mem_free(r->has_posted);
    pthread_cond_destroy(&r->over);
    pthread_mutex_destroy(&r->mutex);
}

bool relay_is_over(const struct endpoint *e)
{
    const struct hub *h = e->hub;

    return atomic_load_explicit(&h->relay.completed, memory_order_acquire) >= e->awaited ||
           failure_is_set(&h->failure);
}

/* With the lock held. */
static void wake_all(struct hub *h)
{
    pthread_cond_broadcast(&h->relay.over);
    for (int i = 0; i < h->base.workers; i++) {
        struct endpoint *e = hub_endpoint(h, i);

        if (e->is_parked)
            slots_ask(h->slots, &e->place);
        e->is_parked = false;
    }
}

void relay_wake(struct hub *h)
{
    pthread_mutex_lock(&h->relay.mutex);
    wake_all(h);
    pthread_mutex_unlock(&h->relay.mutex);
}

/* --- adding --- */

static void *room_for(struct relay *r, int which, size_t bytes)
{
    if (r->capacity[which] < bytes) {
        mem_free(r->sums[which]);
        r->sums[which] = mem_alloc((int64_t)bytes, 1);
        r->capacity[which] = bytes;
    }
    return r->sums[which];
}

/* The vectors of workers first .. end - 1, of which all before are in the sum. */
static enum status add_some(struct endpoint *e, int first, int end)
{
    struct hub *h = e->hub;
    const struct sum *s = &h->posted[0];
    const size_t bytes = (size_t)s->count * sum_size(s->type);
    struct reduction r = {.type = s->type, .inputs = end - first, .outputs = 1, .end = s->count};

    for (int i = first; i < end; i++)
        if (h->posted[i].count != s->count || h->posted[i].type != s->type)
            return meeting_refuse_other_sum(h, i);

    void *sum = first == 0 ? room_for(&h->relay, (int)(e->awaited % 2), bytes)
                           : h->relay.sums[e->awaited % 2];

    r.in = h->relay.inputs + 1 + first;
    r.out = &sum;
    if (first > 0) { /* in the place of the worker before, which is in the sum */
        h->relay.inputs[first] = sum;
        r.in--;
        r.inputs++;
    }
    atomic_fetch_add(&h->adding, 1);
    if (!failure_is_set(&h->failure))
        reduce_in_order(&r);
    atomic_fetch_sub(&h->adding, 1);
    return STATUS_OK;
}

static int posted_end(const struct relay *r, int workers)
{
    int end = r->added;

    while (end < workers && r->has_posted[end])
        end++;
    return end;
}

/* With the lock held, which is given up while a vector is added. */
static enum status add_posted(struct endpoint *e)
{
    struct relay *r = &e->hub->relay;
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
static void complete(struct hub *h)
{
    struct relay *r = &h->relay;

    r->added = 0;
    memset(r->has_posted, 0, (size_t)h->base.workers * sizeof *r->has_posted);
    atomic_fetch_add_explicit(&r->completed, 1, memory_order_release);
    wake_all(h);
}

enum status relay_sum_start(struct endpoint *e, const struct sum *s)
{
    struct relay *r = &e->hub->relay;
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
            complete(e->hub);
    }
    pthread_mutex_unlock(&r->mutex);
    return status;
}

/* --- waiting --- */

static void park(struct endpoint *e)
{
    struct relay *r = &e->hub->relay;
    const double since = clock_seconds();

    pthread_mutex_lock(&r->mutex);
    if (!e->base.is_computing) {
        while (!relay_is_over(e))
            pthread_cond_wait(&r->over, &r->mutex);
    } else {
        e->is_parked = !relay_is_over(e);
    }
    const bool is_parked = e->is_parked;
    pthread_mutex_unlock(&r->mutex);
    if (is_parked) {
        slots_give(e->hub->slots, &e->place);
        slots_await(e->hub->slots, &e->place);
    }
    e->base.account.waiting += clock_seconds() - since;
}

enum status relay_sum_wait(struct endpoint *e)
{
    struct hub *h = e->hub;
    const struct sum *s = &h->posted[e->base.rank];

    if (!relay_is_over(e))
        park(e);
    if (failure_is_set(&h->failure))
        return meeting_leave_failed(e);
    if (s->count > 0)
        memcpy(s->data, h->relay.sums[e->awaited % 2], (size_t)s->count * sum_size(s->type));
    e->phase = SUM_NONE;
    return STATUS_OK;
}
