/*
 * meeting.c - sums over threads.
 *
 * Every worker posts its vector; when all have, worker j adds chunk j of all vectors in rank order
 * and writes the sum into all of them; when all have, the sum is done. Between the two meetings
 * worker j alone touches chunk j, of any vector, so that there is nothing to copy and to lock.
 *
 * Not here: sums of workers that share cores (relay.c).
 *
 * A worker that is woken by an abort leaves only when nobody adds any more: its vector may be gone
 * afterwards. An adder first counts itself and then asks for the failure, the woken one does it the
 * other way round, so one of them sees the other.
 */
#include <sched.h>

#include "base/clock.h"
#include "base/team.h"
#include "comm/reduce.h"
#include "comm/threads/hub.h"

void meeting_init(struct meeting *m)
{
    pthread_mutex_init(&m->mutex, NULL);
    pthread_cond_init(&m->complete, NULL);
}

void meeting_release(struct meeting *m)
{
    pthread_cond_destroy(&m->complete);
    pthread_mutex_destroy(&m->mutex);
}

void meeting_wake(struct meeting *m)
{
    pthread_mutex_lock(&m->mutex);
    pthread_cond_broadcast(&m->complete);
    pthread_mutex_unlock(&m->mutex);
}

/* What a worker wrote before it arrives is seen by all who have seen the meeting complete. */
static void arrive(struct endpoint *e)
{
    struct meeting *m = &e->hub->meeting;

    e->awaited += (uint64_t)e->base.workers;
    if (atomic_fetch_add_explicit(&m->arrivals, 1, memory_order_acq_rel) + 1 == e->awaited)
        meeting_wake(m);
}

static bool is_complete(const struct endpoint *e)
{
    return atomic_load_explicit(&e->hub->meeting.arrivals, memory_order_acquire) >= e->awaited;
}

static bool is_over(const struct endpoint *e)
{
    return is_complete(e) || failure_is_set(&e->hub->failure);
}

static void park(struct endpoint *e)
{
    struct meeting *m = &e->hub->meeting;
    const struct rest rest = hub_rest(e);

    pthread_mutex_lock(&m->mutex);
    while (!is_over(e))
        pthread_cond_wait(&m->complete, &m->mutex);
    pthread_mutex_unlock(&m->mutex);
    hub_resume(e, rest);
}

enum status meeting_leave_failed(struct endpoint *e)
{
    while (atomic_load(&e->hub->adding) > 0)
        sched_yield();
    e->phase = SUM_NONE;
    return failure_answer(&e->hub->failure);
}

static enum status await(struct endpoint *e)
{
    if (!is_over(e) && e->hub->spins) {
        const double since = clock_seconds();

        for (int i = 0; i < e->spins && !is_over(e); i++)
            hub_relax();
        hub_learn(e, is_over(e));
        e->base.account.waiting += clock_seconds() - since;
    }
    if (!is_over(e))
        park(e);
    return failure_is_set(&e->hub->failure) ? meeting_leave_failed(e) : STATUS_OK;
}

/* Chunks are whole cache lines: no two workers write to one. */
static void chunk_of(const struct sum *s, int rank, int workers, struct reduction *r)
{
    const int64_t line = 64 / (int64_t)sum_size(s->type);
    int64_t begin = 0, end = 0;

    team_part((s->count + line - 1) / line, rank, workers, &begin, &end);
    r->begin = begin * line;
    r->end = end * line < s->count ? end * line : s->count;
}

enum status meeting_refuse_other_sum(const struct hub *h, int rank)
{
    const struct sum *a = &h->posted[0], *b = &h->posted[rank];

    return FAIL(
        STATUS_PEER, "worker 0 sums %lld %s while worker %d sums %lld %s: they are out of step",
        (long long)a->count, sum_noun(a->type), rank, (long long)b->count, sum_noun(b->type));
}

/* Worker e's part of the sum, when all have posted theirs. */
static enum status add_chunk(struct endpoint *e)
{
    struct hub *h = e->hub;
    const int workers = e->base.workers;
    const struct sum *s = &h->posted[e->base.rank];
    struct reduction r = {.type = s->type, .inputs = workers, .outputs = workers};

    for (int i = 1; i < workers; i++)
        if (h->posted[i].count != h->posted[0].count || h->posted[i].type != h->posted[0].type)
            return meeting_refuse_other_sum(h, i);
    chunk_of(s, e->base.rank, workers, &r);
    r.in = (const void *const *)h->vectors;
    r.out = h->vectors;
    atomic_fetch_add(&h->adding, 1);
    if (!failure_is_set(&h->failure))
        reduce_in_order(&r);
    atomic_fetch_sub(&h->adding, 1);
    return STATUS_OK;
}

enum status meeting_sum_start(struct transport *t, const struct sum *s)
{
    struct endpoint *e = (struct endpoint *)t;

    if (failure_is_set(&e->hub->failure))
        return failure_answer(&e->hub->failure);
    if (t->workers == 1)
        return STATUS_OK;
    e->hub->posted[t->rank] = *s;
    e->hub->vectors[t->rank] = s->data;
    if (!e->hub->spins)
        return relay_sum_start(e, s);
    e->phase = SUM_POSTED;
    arrive(e);
    return STATUS_OK;
}

static enum status finish_phase(struct endpoint *e)
{
    if (e->phase == SUM_POSTED) {
        TRY(add_chunk(e));
        e->phase = SUM_ADDED;
        arrive(e);
    } else {
        e->phase = SUM_NONE;
    }
    return STATUS_OK;
}

enum status meeting_sum_poll(struct transport *t, bool *done)
{
    struct endpoint *e = (struct endpoint *)t;

    if (failure_is_set(&e->hub->failure))
        return meeting_leave_failed(e);
    if (!e->hub->spins && e->phase != SUM_NONE) {
        *done = relay_is_over(e);
        return *done ? relay_sum_wait(e) : STATUS_OK;
    }
    while (e->phase != SUM_NONE && is_complete(e))
        TRY(finish_phase(e));
    *done = e->phase == SUM_NONE;
    return STATUS_OK;
}

enum status meeting_sum_wait(struct transport *t)
{
    struct endpoint *e = (struct endpoint *)t;

    if (!e->hub->spins && e->phase != SUM_NONE)
        return relay_sum_wait(e);
    while (e->phase != SUM_NONE) {
        TRY(await(e));
        TRY(finish_phase(e));
    }
    return failure_is_set(&e->hub->failure) ? meeting_leave_failed(e) : STATUS_OK;
}
