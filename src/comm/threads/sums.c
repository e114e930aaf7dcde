/*
 * sums.c - sums over threads: what both ways of adding share. Workers that have a core each add at
 * once (sum_parallel.c), those that share cores one after the other (sum_relay.c).
 *
 * A worker that is woken by an abort leaves only when nobody adds any more: its vectors may be gone
 * afterwards. An adder first counts itself and then asks for the failure, the woken one does it the
 * other way round, so one of them sees the other.
 */
#include <sched.h>

#include "base/mem.h"
#include "comm/threads/internal.h"

void threads_sums_init(struct threads_world *w)
{
    const int workers = w->base.workers;

    pthread_mutex_init(&w->barrier.mutex, NULL);
    pthread_cond_init(&w->barrier.complete, NULL);
    pthread_mutex_init(&w->relay.mutex, NULL);
    pthread_cond_init(&w->relay.over, NULL);
    for (int i = 0; i < SUM_RING; i++) {
        w->sums[i].posted = MEM_NEW_N(struct sum, workers);
        w->sums[i].vectors = MEM_NEW_N(void *, workers + 1);
        w->sums[i].relayed.has_posted = MEM_NEW_N(bool, workers);
    }
}

void threads_sums_release(struct threads_world *w)
{
    for (int i = 0; i < SUM_RING; i++) {
        mem_free(w->sums[i].posted);
        mem_free(w->sums[i].vectors);
        mem_free(w->sums[i].relayed.has_posted);
    }
    sum_buffers_release(w->relay.results, SUM_RING);
    pthread_cond_destroy(&w->relay.over);
    pthread_mutex_destroy(&w->relay.mutex);
    pthread_cond_destroy(&w->barrier.complete);
    pthread_mutex_destroy(&w->barrier.mutex);
}

void threads_sums_wake(struct threads_world *w)
{
    sum_parallel_wake(w);
    sum_relay_wake(w);
}

/* --- what may go wrong --- */

enum status threads_sum_leave_failed(struct threads_endpoint *e)
{
    while (atomic_load(&e->world->adding) > 0)
        sched_yield();
    for (int i = 0; i < SUM_RING; i++)
        e->phases[i] = SUM_NONE;
    return failure_answer(&e->world->failure);
}

bool threads_sum_matches(const struct threads_sum *x, int rank)
{
    const struct sum *a = &x->posted[0], *b = &x->posted[rank];

    return a->count == b->count && a->type == b->type;
}

/* After this, no other thread touches the vectors of this worker's other sums. */
enum status threads_sum_refuse_mismatch(struct threads_endpoint *e, const struct threads_sum *x,
                                        int rank)
{
    const struct sum *a = &x->posted[0], *b = &x->posted[rank];
    const enum status s = FAIL(
        STATUS_PEER, "worker 0 sums %lld %s while worker %d sums %lld %s: they are out of step",
        (long long)a->count, sum_type_noun(a->type), rank, (long long)b->count,
        sum_type_noun(b->type));

    threads_abort(&e->base, s, status_message());
    return threads_sum_leave_failed(e);
}

void threads_sum_add(struct threads_world *w, const struct reduction *r)
{
    atomic_fetch_add(&w->adding, 1);
    if (!failure_is_set(&w->failure))
        sum_in_order(r);
    atomic_fetch_sub(&w->adding, 1);
}

/* --- the transport's functions --- */

enum status threads_sum_start(struct transport *t, const struct sum *s, sum_ticket ticket)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;
    struct threads_sum *x = threads_sum_at(e->world, ticket);

    if (failure_is_set(&e->world->failure))
        return threads_sum_leave_failed(e);
    if (t->workers == 1)
        return STATUS_OK;
    x->posted[t->rank] = *s;
    x->vectors[1 + t->rank] = s->data;
    if (!e->world->spins)
        return sum_relay_start(e, ticket);
    sum_parallel_start(e, ticket);
    return STATUS_OK;
}

enum status threads_sum_poll(struct transport *t, sum_ticket ticket, bool *done)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;
    const enum sum_phase *phase = threads_sum_phase(e, ticket);

    if (failure_is_set(&e->world->failure))
        return threads_sum_leave_failed(e);
    if (e->world->spins)
        TRY(sum_parallel_advance(e));
    else if (*phase != SUM_NONE && sum_relay_is_over(e, ticket))
        TRY(sum_relay_wait(e, ticket));
    *done = *phase == SUM_NONE;
    return STATUS_OK;
}

enum status threads_sum_wait(struct transport *t, sum_ticket ticket)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;

    if (*threads_sum_phase(e, ticket) != SUM_NONE)
        return e->world->spins ? sum_parallel_wait(e, ticket) : sum_relay_wait(e, ticket);
    return failure_is_set(&e->world->failure) ? threads_sum_leave_failed(e) : STATUS_OK;
}
