/*
 * sum_parallel.c - sums of workers that have a core each.
 *
 * Every worker posts its vector; when all have, worker j adds chunk j of all vectors in rank order
 * and writes the sum into all of them; when all have, the sum is done. Between the two barriers
 * worker j alone touches chunk j, of any vector, so that there is nothing to copy and to lock.
 *
 * A worker that waits for one sum adds its chunks of all its sums as soon as it can, because others
 * may wait for those.
 *
 * Not here: sums of workers that share cores (sum_relay.c).
 */
#include "base/clock.h"
#include "base/team.h"
#include "comm/threads/internal.h"

void sum_parallel_wake(struct threads_world *w)
{
    pthread_mutex_lock(&w->barrier.mutex);
    pthread_cond_broadcast(&w->barrier.complete);
    pthread_mutex_unlock(&w->barrier.mutex);
}

/* --- the barriers --- */

/* Arrivals that complete the barrier of the sum's phase. */
static int64_t arrivals_of(struct threads_endpoint *e, sum_ticket ticket)
{
    const int64_t barriers = 2 * (ticket / SUM_RING) + *threads_sum_phase(e, ticket);

    return barriers * e->base.workers;
}

/* What a worker wrote before it arrives is seen by all who have seen the barrier complete. */
static void arrive(struct threads_endpoint *e, sum_ticket ticket, enum sum_phase phase)
{
    struct threads_sum *x = threads_sum_at(e->world, ticket);

    *threads_sum_phase(e, ticket) = phase;
    if (atomic_fetch_add_explicit(&x->arrivals, 1, memory_order_acq_rel) + 1 ==
        arrivals_of(e, ticket))
        sum_parallel_wake(e->world);
}

static bool is_complete(struct threads_endpoint *e, sum_ticket ticket)
{
    struct threads_sum *x = threads_sum_at(e->world, ticket);

    return *threads_sum_phase(e, ticket) != SUM_NONE &&
           atomic_load_explicit(&x->arrivals, memory_order_acquire) >= arrivals_of(e, ticket);
}

/* Whether there is something to do for any of the worker's sums, or nothing any more. */
static bool can_advance(struct threads_endpoint *e)
{
    for (sum_ticket k = e->oldest; k < e->base.sums_started; k++)
        if (is_complete(e, k))
            return true;
    return failure_is_set(&e->world->failure);
}

static void park(struct threads_endpoint *e)
{
    struct sum_barrier *b = &e->world->barrier;
    const struct threads_wait wait = threads_wait_begin(e);

    pthread_mutex_lock(&b->mutex);
    while (!can_advance(e))
        pthread_cond_wait(&b->complete, &b->mutex);
    pthread_mutex_unlock(&b->mutex);
    threads_wait_end(e, wait);
}

static void await_progress(struct threads_endpoint *e)
{
    if (can_advance(e))
        return;

    const double since = clock_seconds();
    bool was_enough = false;

    for (int i = 0; i < e->spins && !was_enough; i++) {
        threads_cpu_relax();
        was_enough = can_advance(e);
    }
    threads_adapt_spins(e, was_enough);
    e->base.counters.waiting += clock_seconds() - since;
    if (!was_enough)
        park(e);
}

/* --- adding --- */

/* Chunks are whole cache lines: no two workers write to one. */
static void chunk_of(const struct sum *s, int rank, int workers, struct reduction *r)
{
    const int64_t line = 64 / (int64_t)sum_type_size(s->type);
    int64_t begin = 0, end = 0;

    team_part((s->count + line - 1) / line, rank, workers, &begin, &end);
    r->begin = begin * line;
    r->end = end * line < s->count ? end * line : s->count;
}

/* Worker e's part of the sum, when all have posted theirs. */
static enum status add_chunk(struct threads_endpoint *e, sum_ticket ticket)
{
    const struct threads_sum *x = threads_sum_at(e->world, ticket);
    const int workers = e->base.workers;
    const struct sum *s = &x->posted[e->base.rank];
    struct reduction r = {.type = s->type, .inputs = workers, .outputs = workers};

    for (int i = 1; i < workers; i++)
        if (!threads_sum_matches(x, i))
            return threads_sum_refuse_mismatch(e, x, i);
    chunk_of(s, e->base.rank, workers, &r);
    r.out = x->vectors + 1;
    r.in = (const void *const *)r.out;
    threads_sum_add(e->world, &r);
    return STATUS_OK;
}

static enum status finish_phase(struct threads_endpoint *e, sum_ticket ticket)
{
    enum sum_phase *phase = threads_sum_phase(e, ticket);

    if (*phase == SUM_POSTED) {
        TRY(add_chunk(e, ticket));
        arrive(e, ticket, SUM_ADDED);
    } else {
        *phase = SUM_NONE;
    }
    return STATUS_OK;
}

/* --- the steps --- */

void sum_parallel_start(struct threads_endpoint *e, sum_ticket ticket)
{
    arrive(e, ticket, SUM_POSTED);
}

enum status sum_parallel_advance(struct threads_endpoint *e)
{
    for (sum_ticket k = e->oldest; k < e->base.sums_started; k++) {
        while (is_complete(e, k))
            TRY(finish_phase(e, k));
        if (k == e->oldest && *threads_sum_phase(e, k) == SUM_NONE)
            e->oldest++;
    }
    return STATUS_OK;
}

enum status sum_parallel_wait(struct threads_endpoint *e, sum_ticket ticket)
{
    const enum sum_phase *phase = threads_sum_phase(e, ticket);

    while (*phase != SUM_NONE) {
        await_progress(e);
        if (failure_is_set(&e->world->failure))
            return threads_sum_leave_failed(e);
        TRY(sum_parallel_advance(e));
    }
    /* After a failure chunks are not added. */
    return failure_is_set(&e->world->failure) ? threads_sum_leave_failed(e) : STATUS_OK;
}
