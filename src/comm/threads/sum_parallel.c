/*
 * sum_parallel.c - sums over threads.
 *
 * Every worker posts its vector; when all have, worker j adds chunk j of all vectors in rank order
 * and writes the sum into all of them; when all have, the sum is done. Between the two barriers
 * worker j alone touches chunk j, of any vector, so that there is nothing to copy and to lock.
 *
 * Not here: sums of workers that share cores (sum_relay.c).
 *
 * A worker that is woken by an abort leaves only when nobody adds any more: its vector may be gone
 * afterwards. An adder first counts itself and then asks for the failure, the woken one does it the
 * other way round, so one of them sees the other.
 */
#include <sched.h>

#include "base/clock.h"
#include "base/team.h"
#include "comm/sum.h"
#include "comm/threads/internal.h"

void sum_barrier_init(struct sum_barrier *b)
{
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->complete, NULL);
}

void sum_barrier_release(struct sum_barrier *b)
{
    pthread_cond_destroy(&b->complete);
    pthread_mutex_destroy(&b->mutex);
}

void sum_barrier_wake(struct sum_barrier *b)
{
    pthread_mutex_lock(&b->mutex);
    pthread_cond_broadcast(&b->complete);
    pthread_mutex_unlock(&b->mutex);
}

/* What a worker wrote before it arrives is seen by all who have seen the barrier complete. */
static void arrive(struct threads_endpoint *e)
{
    struct sum_barrier *b = &e->world->barrier;

    e->awaited += (uint64_t)e->base.workers;
    if (atomic_fetch_add_explicit(&b->arrivals, 1, memory_order_acq_rel) + 1 == e->awaited)
        sum_barrier_wake(b);
}

static bool is_complete(const struct threads_endpoint *e)
{
    return atomic_load_explicit(&e->world->barrier.arrivals, memory_order_acquire) >= e->awaited;
}

static bool is_over(const struct threads_endpoint *e)
{
    return is_complete(e) || failure_is_set(&e->world->failure);
}

static void park(struct threads_endpoint *e)
{
    struct sum_barrier *b = &e->world->barrier;
    const struct threads_wait wait = threads_wait_begin(e);

    pthread_mutex_lock(&b->mutex);
    while (!is_over(e))
        pthread_cond_wait(&b->complete, &b->mutex);
    pthread_mutex_unlock(&b->mutex);
    threads_wait_end(e, wait);
}

enum status sum_leave_failed(struct threads_endpoint *e)
{
    while (atomic_load(&e->world->adding) > 0)
        sched_yield();
    e->phase = SUM_NONE;
    return failure_answer(&e->world->failure);
}

static enum status await_barrier(struct threads_endpoint *e)
{
    if (!is_over(e) && e->world->spins) {
        const double since = clock_seconds();

        for (int i = 0; i < e->spins && !is_over(e); i++)
            threads_cpu_relax();
        threads_adapt_spins(e, is_over(e));
        e->base.counters.waiting += clock_seconds() - since;
    }
    if (!is_over(e))
        park(e);
    return failure_is_set(&e->world->failure) ? sum_leave_failed(e) : STATUS_OK;
}

/* Chunks are whole cache lines: no two workers write to one. */
static void chunk_of(const struct sum *s, int rank, int workers, struct reduction *r)
{
    const int64_t line = 64 / (int64_t)sum_type_size(s->type);
    int64_t begin = 0, end = 0;

    team_part((s->count + line - 1) / line, rank, workers, &begin, &end);
    r->begin = begin * line;
    r->end = end * line < s->count ? end * line : s->count;
}

enum status sum_refuse_mismatch(const struct threads_world *w, int rank)
{
    const struct sum *a = &w->posted[0], *b = &w->posted[rank];

    return FAIL(STATUS_PEER,
                "worker 0 sums %lld %s while worker %d sums %lld %s: they are out of step",
                (long long)a->count, sum_type_noun(a->type), rank, (long long)b->count,
                sum_type_noun(b->type));
}

/* Worker e's part of the sum, when all have posted theirs. */
static enum status add_chunk(struct threads_endpoint *e)
{
    struct threads_world *w = e->world;
    const int workers = e->base.workers;
    const struct sum *s = &w->posted[e->base.rank];
    struct reduction r = {.type = s->type, .inputs = workers, .outputs = workers};

    for (int i = 1; i < workers; i++)
        if (w->posted[i].count != w->posted[0].count || w->posted[i].type != w->posted[0].type)
            return sum_refuse_mismatch(w, i);
    chunk_of(s, e->base.rank, workers, &r);
    r.in = (const void *const *)w->vectors;
    r.out = w->vectors;
    atomic_fetch_add(&w->adding, 1);
    if (!failure_is_set(&w->failure))
        sum_in_order(&r);
    atomic_fetch_sub(&w->adding, 1);
    return STATUS_OK;
}

enum status threads_sum_start(struct transport *t, const struct sum *s)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;

    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    if (t->workers == 1)
        return STATUS_OK;
    e->world->posted[t->rank] = *s;
    e->world->vectors[t->rank] = s->data;
    if (!e->world->spins)
        return sum_relay_start(e, s);
    e->phase = SUM_POSTED;
    arrive(e);
    return STATUS_OK;
}

static enum status finish_phase(struct threads_endpoint *e)
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

enum status threads_sum_poll(struct transport *t, bool *done)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;

    if (failure_is_set(&e->world->failure))
        return sum_leave_failed(e);
    if (!e->world->spins && e->phase != SUM_NONE) {
        *done = sum_relay_is_over(e);
        return *done ? sum_relay_wait(e) : STATUS_OK;
    }
    while (e->phase != SUM_NONE && is_complete(e))
        TRY(finish_phase(e));
    *done = e->phase == SUM_NONE;
    return STATUS_OK;
}

enum status threads_sum_wait(struct transport *t)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;

    if (!e->world->spins && e->phase != SUM_NONE)
        return sum_relay_wait(e);
    while (e->phase != SUM_NONE) {
        TRY(await_barrier(e));
        TRY(finish_phase(e));
    }
    return failure_is_set(&e->world->failure) ? sum_leave_failed(e) : STATUS_OK;
}
