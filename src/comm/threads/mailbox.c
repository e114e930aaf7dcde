/*
 * mailbox.c - messages between threads: copied by the sender, queued by kind in order of arrival.
 *
 * Who waits for a message gets it straight to where it wants it, without the queue: the models and
 * gradients of a parameter server, whose endpoints wait for each other in turn, are copied once.
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

/* Whether the receiver waits for a message like this; with the lock held. */
static bool is_awaited(const struct mailbox *m, int from, int kind)
{
    const struct opening *o = &m->opening;

    return o->is_open && o->kind == kind && (o->from == TRANSPORT_ANY || o->from == from);
}

/* Whether it may go straight to the receiver's places, which are the sender's then until they are
 * filled. One that does not fit goes by the queue, where the receiver finds it too large. */
static bool take_opening(struct mailbox *m, int from, int kind, size_t bytes)
{
    struct opening *o = &m->opening;

    if (!is_awaited(m, from, kind) || bytes > incoming_bytes(o->parts, o->count))
        return false;
    o->is_open = false;
    o->is_taken = true;
    return true;
}

static void fill_opening(struct mailbox *m, const struct envelope *e, const struct outgoing *parts,
                         int count)
{
    struct opening *o = &m->opening;

    incoming_fill(o->parts, o->count, parts, count);
    pthread_mutex_lock(&m->mutex);
    o->envelope = *e;
    o->envelope.sequence = m->lanes[e->from]->received[e->kind]++;
    o->is_taken = false;
    atomic_store_explicit(&o->is_filled, true, memory_order_release);
    pthread_cond_signal(&m->arrived);
    pthread_mutex_unlock(&m->mutex);
}

/* A receiver that began to wait meanwhile takes it from there: no other may come before it. */
static void queue_message(struct mailbox *m, struct message *x)
{
    pthread_mutex_lock(&m->mutex);
    if (is_awaited(m, x->from, x->kind))
        m->opening.is_open = false;
    append(m, x);
    pthread_cond_signal(&m->arrived);
    pthread_mutex_unlock(&m->mutex);
}

enum status mailbox_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                         int count)
{
    struct hub *h = ((struct endpoint *)t)->hub;
    struct mailbox *m = &hub_endpoint(h, to)->mailbox;
    const struct envelope e = {t->rank, kind, outgoing_bytes(parts, count), 0};
    struct message *x = NULL;

    if (failure_is_set(&h->failure))
        return failure_answer(&h->failure);
    pthread_mutex_lock(&m->mutex);

    struct lane *lane = lane_of(m, t->rank, t->size);
    const bool goes_straight = take_opening(m, t->rank, kind, e.bytes);
    const bool is_full = !goes_straight && lane->pending == TRANSPORT_PENDING_MAX;

    if (!goes_straight && !is_full) {
        lane->pending++;
        x = spare_take(m, e.bytes);
    }
    pthread_mutex_unlock(&m->mutex);
    if (is_full)
        return refuse_more(t, to);
    if (goes_straight) {
        fill_opening(m, &e, parts, count);
        return STATUS_OK;
    }
    x = message_fill(x, parts, count);
    x->from = t->rank;
    x->kind = kind;
    queue_message(m, x);
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

/* The first message if there is one; else the receiver's places are open from now on. */
static struct message *take_or_open(struct mailbox *m, int from, int kind,
                                    const struct incoming *parts, int count)
{
    struct opening *o = &m->opening;

    pthread_mutex_lock(&m->mutex);

    struct message *x = take(m, from, kind);

    if (x == NULL) {
        o->from = from;
        o->kind = kind;
        o->parts = parts;
        o->count = count;
        atomic_store_explicit(&o->is_filled, false, memory_order_relaxed);
        o->is_open = true;
    }
    pthread_mutex_unlock(&m->mutex);
    return x;
}

static bool is_filled(const struct mailbox *m)
{
    return atomic_load_explicit(&m->opening.is_filled, memory_order_acquire);
}

static void spin(struct endpoint *e)
{
    const double since = clock_seconds();

    for (int i = 0; i < e->spins && !is_filled(&e->mailbox); i++)
        hub_relax();
    e->base.account.waiting += clock_seconds() - since;
    hub_learn(e, is_filled(&e->mailbox));
}

/*
 * Until the places are filled (NULL), a message came that does not fit there, or the run was
 * aborted (NULL too). Nobody writes to the places afterwards.
 */
static struct message *await(struct endpoint *e)
{
    struct mailbox *m = &e->mailbox;
    struct opening *o = &m->opening;
    struct message *x = NULL;
    const struct rest rest = hub_rest(e);

    pthread_mutex_lock(&m->mutex);
    while (o->is_taken || (!is_filled(m) && !failure_is_set(&e->hub->failure) &&
                           (x = take(m, o->from, o->kind)) == NULL))
        pthread_cond_wait(&m->arrived, &m->mutex);
    o->is_open = false;
    pthread_mutex_unlock(&m->mutex);
    hub_resume(e, rest);
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

    struct message *x = take_or_open(&e->mailbox, from, kind, parts, count);

    if (x == NULL && e->hub->spins)
        spin(e);
    if (x == NULL && !is_filled(&e->mailbox))
        x = await(e);
    if (x != NULL)
        return deliver(e, x, envelope, parts, count);
    if (!is_filled(&e->mailbox))
        return failure_answer(&e->hub->failure);
    *envelope = e->mailbox.opening.envelope;
    return STATUS_OK;
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
        slots_give(e->hub->slots, &e->place);
    pthread_mutex_lock(&m->mutex);
    while (error != ETIMEDOUT && !failure_is_set(&e->hub->failure))
        error = pthread_cond_timedwait(&m->arrived, &m->mutex, &until);
    pthread_mutex_unlock(&m->mutex);
    if (t->is_computing) {
        const double woken = clock_seconds();

        slots_take(e->hub->slots, &e->place);
        t->account.waiting += clock_seconds() - woken;
    }
    return failure_is_set(&e->hub->failure) ? failure_answer(&e->hub->failure) : STATUS_OK;
}
