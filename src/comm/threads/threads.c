/*
 * threads.c - the transport inside one process: every endpoint is a thread, messages are copies in
 * memory, and sums are added where the vectors lie.
 *
 * Here: opening, running and closing the world, slots, time and abort.
 * Not here: messages (send.c, receive.c, mailbox.c, message_pool.c), sums (sums.c).
 */
#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/team.h"
#include "comm/endpoint_threads.h"
#include "comm/list.h"
#include "comm/threads/internal.h"

/* Some 100 and 1 microseconds. */
enum { SPINS_MAX = 4096, SPINS_MIN = 32 };

/* --- waiting --- */

void threads_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void threads_adapt_spins(struct threads_endpoint *e, bool was_enough)
{
    if (was_enough)
        e->spins = e->spins * 2 < SPINS_MAX ? e->spins * 2 : SPINS_MAX;
    else
        e->spins = e->spins / 2 > SPINS_MIN ? e->spins / 2 : SPINS_MIN;
}

struct threads_wait threads_wait_begin(struct threads_endpoint *e)
{
    const struct threads_wait wait = {.since = clock_seconds()};

    if (e->base.is_computing)
        core_slots_give(e->world->slots, &e->slot_holder);
    return wait;
}

void threads_wait_end(struct threads_endpoint *e, struct threads_wait wait)
{
    if (e->base.is_computing)
        core_slots_take(e->world->slots, &e->slot_holder);
    e->base.counters.waiting += clock_seconds() - wait.since;
}

/* --- slots, time, abort --- */

static void threads_compute_begin(struct transport *t)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;
    const struct threads_wait wait = {.since = clock_seconds()};

    core_slots_take(e->world->slots, &e->slot_holder);
    t->counters.waiting += clock_seconds() - wait.since;
}

static void threads_compute_end(struct transport *t)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;

    core_slots_give(e->world->slots, &e->slot_holder);
}

static double threads_now(struct transport *t)
{
    return clock_seconds() - ((struct threads_endpoint *)t)->world->opened;
}

void threads_abort(struct transport *t, enum status why, const char *text)
{
    struct threads_world *w = ((struct threads_endpoint *)t)->world;

    if (!failure_set(&w->failure, why, text))
        return;
    core_slots_open(w->slots);
    threads_sums_wake(w);
    for (int i = 0; i < w->base.size; i++)
        mailbox_wake(threads_endpoint_at(w, i));
}

static void threads_free(struct transport *t)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;

    mailbox_release(e);
    core_slot_holder_release(&e->slot_holder);
    mem_free(e);
}

static const struct transport_ops threads_ops = {
    .name = "threads",
    .send = threads_send,
    .recv = threads_recv,
    .send_each = threads_send_each,
    .await = threads_await,
    .borrow = threads_borrow,
    .give_back = threads_give_back,
    .sum_start = threads_sum_start,
    .sum_poll = threads_sum_poll,
    .sum_wait = threads_sum_wait,
    .compute_begin = threads_compute_begin,
    .compute_end = threads_compute_end,
    .sleep = threads_sleep,
    .now = threads_now,
    .abort = threads_abort,
    .free = threads_free,
};

/* --- the world --- */

static enum status threads_run(struct world *base, world_body *body, void *context)
{
    struct threads_world *w = (struct threads_world *)base;

    CHECK(!failure_is_set(&w->failure));
    endpoint_threads_run(w->endpoints, w->base.size, body, context);
    if (!failure_is_set(&w->failure))
        return STATUS_OK;
    return FAIL(w->failure.first.status, "%s", w->failure.first.text);
}

/* Blocks of mem_alloc are zeroed and aligned as the contract wants it. */
static enum status threads_share(struct world *base, size_t bytes, void **memory)
{
    struct threads_world *w = (struct threads_world *)base;

    w->shared = mem_resize(w->shared, w->shared_count, w->shared_count + 1, sizeof *w->shared);
    *memory = mem_alloc((int64_t)bytes, 1);
    w->shared[w->shared_count++] = *memory;
    return STATUS_OK;
}

static enum status threads_agree(struct world *base, int64_t mine, int64_t *lowest)
{
    (void)base;
    *lowest = mine;
    return STATUS_OK;
}

static void threads_close(struct world *base)
{
    struct threads_world *w = (struct threads_world *)base;

    for (int i = 0; i < w->shared_count; i++)
        mem_free(w->shared[i]);
    mem_free(w->shared);
    for (int i = 0; i < w->base.size; i++)
        w->endpoints[i]->ops->free(w->endpoints[i]);
    mem_free(w->endpoints);
    message_pool_release(&w->pool);
    threads_sums_release(w);
    failure_release(&w->failure);
    core_slots_free(w->slots);
    mem_free(w);
}

static const struct world_ops threads_world_ops = {
    .run = threads_run,
    .share = threads_share,
    .agree = threads_agree,
    .close = threads_close,
};

static struct transport *endpoint_new(struct threads_world *w, int rank)
{
    struct threads_endpoint *e = MEM_NEW(struct threads_endpoint);

    e->base = (struct transport){
        .ops = &threads_ops,
        .rank = rank,
        .workers = w->base.workers,
        .size = w->base.size,
    };
    e->world = w;
    e->spins = SPINS_MAX;
    mailbox_init(&e->mailbox);
    core_slot_holder_init(&e->slot_holder);
    return &e->base;
}

static enum status threads_open(const struct world_request *request, struct world **world)
{
    struct threads_world *w = MEM_NEW(struct threads_world);
    const int workers = request->workers == 0 ? 1 : request->workers;
    const int cores = team_cores();

    w->base = (struct world){
        .ops = &threads_world_ops,
        .server = request->server,
        .workers = workers,
        .size = world_endpoints(request->server, workers),
        .processes = 1,
    };
    w->opened = clock_seconds();
    w->spins = w->base.size <= cores;
    w->slots = core_slots_new(request->slots == 0 ? cores : request->slots);
    failure_init(&w->failure);
    message_pool_init(&w->pool);
    threads_sums_init(w);
    w->endpoints = MEM_NEW_N(struct transport *, w->base.size);
    for (int i = 0; i < w->base.size; i++)
        w->endpoints[i] = endpoint_new(w, i);
    *world = &w->base;
    return STATUS_OK;
}

const struct transport_entry threads_transport = {
    .entry = {.name = "threads",
              .summary = "workers are threads of this process; needs no launcher"},
    .shares_memory = true,
    .open = threads_open,
};
