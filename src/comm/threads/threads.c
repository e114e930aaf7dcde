/*
 * threads.c - the transport inside one process: every endpoint is a thread, messages are copies in
 * memory, and sums are added where the vectors lie.
 *
 * Here: opening, running and closing the world, slots, time and abort.
 * Not here: messages (post.c, mailbox.c, room.c), sums (meeting.c, relay.c).
 */
#include "comm/threads/threads.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/team.h"
#include "comm/crew.h"
#include "comm/threads/hub.h"

/* Some 100 and 1 microseconds. */
enum { SPINS_MAX = 4096, SPINS_MIN = 32 };

/* --- waiting --- */

void hub_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void hub_learn(struct endpoint *e, bool was_enough)
{
    if (was_enough)
        e->spins = e->spins * 2 < SPINS_MAX ? e->spins * 2 : SPINS_MAX;
    else
        e->spins = e->spins / 2 > SPINS_MIN ? e->spins / 2 : SPINS_MIN;
}

struct rest hub_rest(struct endpoint *e)
{
    const struct rest r = {.since = clock_seconds()};

    if (e->base.is_computing)
        slots_give(e->hub->slots, &e->place);
    return r;
}

void hub_resume(struct endpoint *e, struct rest r)
{
    if (e->base.is_computing)
        slots_take(e->hub->slots, &e->place);
    e->base.account.waiting += clock_seconds() - r.since;
}

/* --- slots, time, abort --- */

static void threads_compute_begin(struct transport *t)
{
    struct endpoint *e = (struct endpoint *)t;
    const struct rest r = {.since = clock_seconds()};

    slots_take(e->hub->slots, &e->place);
    t->account.waiting += clock_seconds() - r.since;
}

static void threads_compute_end(struct transport *t, double cost)
{
    struct endpoint *e = (struct endpoint *)t;

    (void)cost;
    slots_give(e->hub->slots, &e->place);
}

static double threads_now(struct transport *t)
{
    return clock_seconds() - ((struct endpoint *)t)->hub->opened;
}

static void threads_abort(struct transport *t, enum status why, const char *text)
{
    struct hub *h = ((struct endpoint *)t)->hub;

    if (!failure_set(&h->failure, why, text))
        return;
    slots_open(h->slots);
    meeting_wake(&h->meeting);
    relay_wake(h);
    for (int i = 0; i < h->base.size; i++)
        mailbox_wake(hub_endpoint(h, i));
}

static void threads_free(struct transport *t)
{
    struct endpoint *e = (struct endpoint *)t;

    mailbox_release(e);
    slots_place_release(&e->place);
    mem_free(e);
}

static const struct transport_ops threads_ops = {
    .name = "threads",
    .send = post_send,
    .recv = mailbox_recv,
    .send_each = post_send_each,
    .await = mailbox_await,
    .borrow = mailbox_borrow,
    .give_back = mailbox_give_back,
    .sum_start = meeting_sum_start,
    .sum_poll = meeting_sum_poll,
    .sum_wait = meeting_sum_wait,
    .compute_begin = threads_compute_begin,
    .compute_end = threads_compute_end,
    .sleep = mailbox_sleep,
    .now = threads_now,
    .abort = threads_abort,
    .free = threads_free,
};

/* --- the world --- */

static enum status threads_run(struct world *w, world_body *body, void *context)
{
    struct hub *h = (struct hub *)w;

    CHECK(!failure_is_set(&h->failure));
    crew_run(h->endpoints, w->size, body, context);
    if (!failure_is_set(&h->failure))
        return STATUS_OK;
    return FAIL(h->failure.first.status, "%s", h->failure.first.text);
}

/* Blocks of mem_alloc are zeroed and aligned as the contract wants it. */
static enum status threads_share(struct world *w, size_t bytes, void **memory)
{
    struct hub *h = (struct hub *)w;

    h->shared = mem_resize(h->shared, h->shared_count, h->shared_count + 1, sizeof *h->shared);
    *memory = mem_alloc((int64_t)bytes, 1);
    h->shared[h->shared_count++] = *memory;
    return STATUS_OK;
}

static enum status threads_agree(struct world *w, int64_t mine, int64_t *lowest)
{
    (void)w;
    *lowest = mine;
    return STATUS_OK;
}

static void threads_close(struct world *w)
{
    struct hub *h = (struct hub *)w;

    for (int i = 0; i < h->shared_count; i++)
        mem_free(h->shared[i]);
    mem_free(h->shared);
    for (int i = 0; i < w->size; i++)
        h->endpoints[i]->ops->free(h->endpoints[i]);
    mem_free(h->endpoints);
    mem_free(h->vectors);
    mem_free(h->posted);
    rooms_release(&h->rooms);
    meeting_release(&h->meeting);
    relay_release(&h->relay);
    failure_release(&h->failure);
    slots_free(h->slots);
    mem_free(h);
}

static const struct world_ops threads_world_ops = {
    .run = threads_run,
    .share = threads_share,
    .agree = threads_agree,
    .close = threads_close,
};

static struct transport *endpoint_new(struct hub *h, int rank)
{
    struct endpoint *e = MEM_NEW(struct endpoint);

    e->base = (struct transport){
        .ops = &threads_ops,
        .rank = rank,
        .workers = h->base.workers,
        .size = h->base.size,
    };
    e->hub = h;
    e->spins = SPINS_MAX;
    mailbox_init(&e->mailbox);
    slots_place_init(&e->place);
    return &e->base;
}

enum status threads_open(const struct world_request *request, struct world **world)
{
    struct hub *h = MEM_NEW(struct hub);
    const int workers = request->workers == 0 ? 1 : request->workers;
    const int cores = team_cores();

    h->base = (struct world){
        .ops = &threads_world_ops,
        .workers = workers,
        .size = world_endpoints(request->server, workers),
        .processes = 1,
    };
    h->opened = clock_seconds();
    h->spins = h->base.size <= cores;
    h->slots = slots_new(request->slots == 0 ? cores : request->slots);
    failure_init(&h->failure);
    rooms_init(&h->rooms);
    meeting_init(&h->meeting);
    relay_init(&h->relay, workers);
    h->posted = MEM_NEW_N(struct sum, workers);
    h->vectors = MEM_NEW_N(void *, workers);
    h->endpoints = MEM_NEW_N(struct transport *, h->base.size);
    for (int i = 0; i < h->base.size; i++)
        h->endpoints[i] = endpoint_new(h, i);
    *world = &h->base;
    return STATUS_OK;
}
