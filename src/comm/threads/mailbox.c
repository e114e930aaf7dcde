/*
 * mailbox.c - messages between threads: copied by the sender, queued by kind in order of arrival.
 *
 * The copies are made outside the lock. Delivered messages are kept for their room, up to a limit,
 * so that a round that sends what the last one sent allocates nothing.
 */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "comm/threads/hub.h"

static const size_t spare_bytes_max = (size_t)256 << 20;

struct message {
    struct message *next;
    int from, kind;
    size_t bytes, capacity;
    unsigned char *data; /* [capacity] */
};

void mailbox_init(struct mailbox *m)
{
    pthread_condattr_t monotonic;

    *m = (struct mailbox){0};
    pthread_mutex_init(&m->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&m->arrived, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void free_messages(struct message *m)
{
    while (m != NULL) {
        struct message *next = m->next;

        mem_free(m->data);
        mem_free(m);
        m = next;
    }
}

void mailbox_release(struct mailbox *m, int size)
{
    for (int kind = 0; kind < TRANSPORT_KINDS; kind++)
        free_messages(m->first[kind]);
    free_messages(m->spare);
    for (int i = 0; i < size && m->lanes != NULL; i++)
        mem_free(m->lanes[i]);
    mem_free(m->lanes);
    pthread_cond_destroy(&m->arrived);
    pthread_mutex_destroy(&m->mutex);
    *m = (struct mailbox){0};
}

void mailbox_wake(struct mailbox *m)
{
    pthread_mutex_lock(&m->mutex);
    atomic_fetch_add_explicit(&m->arrivals, 1, memory_order_release);
    pthread_cond_broadcast(&m->arrived);
    pthread_mutex_unlock(&m->mutex);
}

/* --- the room of delivered messages; all with the lock held --- */

/* The first that is large enough, else the first, else none. */
static struct message *spare_take(struct mailbox *m, size_t bytes)
{
    struct message **at = &m->spare;

    while (*at != NULL && (*at)->capacity < bytes)
        at = &(*at)->next;
    if (*at == NULL)
        at = &m->spare;

    struct message *found = *at;

    if (found != NULL) {
        *at = found->next;
        m->spare_bytes -= found->capacity;
    }
    return found;
}

/* Whether it was kept. */
static bool spare_put(struct mailbox *m, struct message *x)
{
    if (m->spare_bytes + x->capacity > spare_bytes_max)
        return false;
    x->next = m->spare;
    m->spare = x;
    m->spare_bytes += x->capacity;
    return true;
}

/* --- sending --- */

/* Most endpoints hear from few others or from none: all lanes of all would be a square of memory.
 */
static struct lane *lane_of(struct mailbox *m, int from, int size)
{
    if (m->lanes == NULL)
        m->lanes = MEM_NEW_N(struct lane *, size);
    if (m->lanes[from] == NULL)
        m->lanes[from] = MEM_NEW(struct lane);
    return m->lanes[from];
}

static enum status refuse_more(const struct transport *t, int to)
{
    const struct endpoint_name from = transport_name_of(t, t->rank),
                               name = transport_name_of(t, to);

    return FAIL(STATUS_PEER, "%s has not received %d messages of %s, and no more may wait",
                name.text, TRANSPORT_PENDING_MAX, from.text);
}

static struct message *message_fill(struct message *x, const struct outgoing *parts, int count)
{
    const size_t bytes = outgoing_bytes(parts, count);

    if (x == NULL)
        x = MEM_NEW(struct message);
    if (x->capacity < bytes) {
        mem_free(x->data);
        x->data = mem_alloc((int64_t)bytes, 1);
        x->capacity = bytes;
    }
    outgoing_gather(x->data, parts, count);
    x->bytes = bytes;
    x->next = NULL;
    return x;
}

static void append(struct mailbox *m, struct message *x)
{
    if (m->first[x->kind] == NULL)
        m->first[x->kind] = x;
    else
        m->last[x->kind]->next = x;
    m->last[x->kind] = x;
}

enum status mailbox_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                         int count)
{
    struct hub *h = ((struct endpoint *)t)->hub;
    struct mailbox *m = &hub_endpoint(h, to)->mailbox;

    if (failure_is_set(&h->failure))
        return failure_answer(&h->failure);
    pthread_mutex_lock(&m->mutex);

    struct lane *lane = lane_of(m, t->rank, t->size);
    const bool is_full = lane->pending == TRANSPORT_PENDING_MAX;
    struct message *x = NULL;

    if (!is_full) {
        lane->pending++;
        x = spare_take(m, outgoing_bytes(parts, count));
    }
    pthread_mutex_unlock(&m->mutex);
    if (is_full)
        return refuse_more(t, to);

    x = message_fill(x, parts, count);
    x->from = t->rank;
    x->kind = kind;
    pthread_mutex_lock(&m->mutex);
    append(m, x);
    atomic_fetch_add_explicit(&m->arrivals, 1, memory_order_release);
    pthread_cond_signal(&m->arrived);
    pthread_mutex_unlock(&m->mutex);
    return STATUS_OK;
}

/* --- receiving --- */

/* The first message of this kind from this endpoint; with the lock held. */
static struct message *take(struct mailbox *m, int from, int kind)
{
    struct message *before = NULL, *x = m->first[kind];

    while (x != NULL && from != TRANSPORT_ANY && x->from != from) {
        before = x;
        x = x->next;
    }
    if (x == NULL)
        return NULL;
    if (before == NULL)
        m->first[kind] = x->next;
    else
        before->next = x->next;
    if (m->last[kind] == x)
        m->last[kind] = before;
    m->lanes[x->from]->pending--;
    return x;
}

static struct message *take_now(struct mailbox *m, int from, int kind, unsigned *arrivals)
{
    pthread_mutex_lock(&m->mutex);

    struct message *x = take(m, from, kind);

    *arrivals = atomic_load_explicit(&m->arrivals, memory_order_relaxed);
    pthread_mutex_unlock(&m->mutex);
    return x;
}

/* NULL when the run was aborted. */
static struct message *take_later(struct endpoint *e, int from, int kind)
{
    struct mailbox *m = &e->mailbox;
    struct message *x = NULL;
    const struct rest rest = hub_rest(e);

    pthread_mutex_lock(&m->mutex);
    while (!failure_is_set(&e->hub->failure) && (x = take(m, from, kind)) == NULL)
        pthread_cond_wait(&m->arrived, &m->mutex);
    pthread_mutex_unlock(&m->mutex);
    hub_resume(e, rest);
    return x;
}

static struct message *take_soon(struct endpoint *e, int from, int kind)
{
    unsigned arrivals = 0;
    struct message *x = take_now(&e->mailbox, from, kind, &arrivals);

    if (x != NULL || !e->hub->spins)
        return x;

    const double since = clock_seconds();
    const atomic_uint *now = &e->mailbox.arrivals;

    for (int i = 0; i < e->spins && atomic_load_explicit(now, memory_order_acquire) == arrivals;
         i++)
        hub_relax();
    e->base.account.waiting += clock_seconds() - since;
    x = take_now(&e->mailbox, from, kind, &arrivals);
    hub_learn(e, x != NULL);
    return x;
}

/* Hands the message over and keeps its room. */
static enum status deliver(struct endpoint *e, struct message *x, struct envelope *envelope,
                           const struct incoming *parts, int count)
{
    const size_t capacity = incoming_bytes(parts, count);
    struct mailbox *m = &e->mailbox;
    const bool fits = x->bytes <= capacity;

    if (fits)
        incoming_spread(parts, count, x->data, x->bytes);
    *envelope = (struct envelope){.from = x->from, .kind = x->kind, .bytes = x->bytes};

    pthread_mutex_lock(&m->mutex);
    envelope->sequence = m->lanes[x->from]->received[x->kind]++;

    const bool is_kept = spare_put(m, x);

    pthread_mutex_unlock(&m->mutex);
    if (!is_kept) {
        x->next = NULL;
        free_messages(x);
    }
    if (fits)
        return STATUS_OK;

    const struct endpoint_name from = transport_name_of(&e->base, envelope->from),
                               to = transport_name_of(&e->base, e->base.rank);

    return FAIL(STATUS_PEER,
                "a message of %zu bytes from %s is larger than the %zu bytes that %s "
                "has room for (kind %d)",
                envelope->bytes, from.text, capacity, to.text, envelope->kind);
}

enum status mailbox_recv(struct transport *t, int from, int kind, struct envelope *envelope,
                         const struct incoming *parts, int count)
{
    struct endpoint *e = (struct endpoint *)t;

    if (failure_is_set(&e->hub->failure))
        return failure_answer(&e->hub->failure);

    struct message *x = take_soon(e, from, kind);

    if (x == NULL)
        x = take_later(e, from, kind);
    if (x == NULL)
        return failure_answer(&e->hub->failure);
    return deliver(e, x, envelope, parts, count);
}

/* --- sleep: nobody wakes a sleeper but abort --- */

static struct timespec moment_after(double seconds)
{
    const double at = clock_seconds() + fmin(seconds, 1e9);
    const double whole = floor(at);

    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((at - whole) * 1e9)};
}

enum status mailbox_sleep(struct transport *t, double seconds)
{
    struct endpoint *e = (struct endpoint *)t;
    struct mailbox *m = &e->mailbox;
    const struct timespec until = moment_after(seconds);
    int error = 0;

    if (t->is_computing)
        slots_give(e->hub->slots);
    pthread_mutex_lock(&m->mutex);
    while (error != ETIMEDOUT && !failure_is_set(&e->hub->failure))
        error = pthread_cond_timedwait(&m->arrived, &m->mutex, &until);
    pthread_mutex_unlock(&m->mutex);
    if (t->is_computing) {
        const double woken = clock_seconds();

        slots_take(e->hub->slots);
        t->account.waiting += clock_seconds() - woken;
    }
    return failure_is_set(&e->hub->failure) ? failure_answer(&e->hub->failure) : STATUS_OK;
}
