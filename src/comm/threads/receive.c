/*
 * receive.c - receiving messages between threads, and sleep.
 *
 * Who waits for a message gets it straight to where it wants it, without the queue: the models and
 * gradients of a parameter server, whose endpoints wait for each other in turn, are copied once. So
 * are those that a node sends its neighbours, which read them where they lie (message_pool.c).
 *
 * Who computes has given its slot back while it waits. Whoever ends the wait asks for a new one, so
 * that the receiver wakes up once, when it may compute.
 *
 * Not here: sending (send.c), the mailbox itself (mailbox.c).
 */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "comm/threads/internal.h"

/* With the lock held. It may wake for another reason: the caller checks, and waits again. */
static void park(struct threads_endpoint *e)
{
    struct mailbox *m = &e->mailbox;

    if (!e->base.is_computing) {
        pthread_cond_wait(&m->arrived, &m->mutex);
        return;
    }
    m->is_parked = true;
    pthread_mutex_unlock(&m->mutex);
    core_slots_give(e->world->slots, &e->slot_holder);
    core_slots_await(e->world->slots, &e->slot_holder);
    pthread_mutex_lock(&m->mutex);
}

/* --- receiving --- */

static struct message *find_any(const struct mailbox *m, transport_kinds kinds)
{
    struct message *first = NULL;

    for (int kind = 0; kind < TRANSPORT_KINDS; kind++) {
        struct message *x = (kinds & transport_kinds_of(kind)) != 0 ? m->first[kind] : NULL;

        if (x != NULL && (first == NULL || x->arrival < first->arrival))
            first = x;
    }
    return first;
}

/* The first message of these kinds, from one endpoint or from any; with the lock held. One endpoint
 * has few: nothing depends on how many others have sent. */
static struct message *find_message(const struct mailbox *m, int from, transport_kinds kinds)
{
    if (from == TRANSPORT_ANY)
        return find_any(m, kinds);

    const struct sender_state *sender = m->senders == NULL ? NULL : m->senders[from];
    struct message *x = sender == NULL ? NULL : sender->first;

    while (x != NULL && (kinds & transport_kinds_of(x->kind)) == 0)
        x = x->next_of_sender;
    return x;
}

static void unlink_of_kind(struct mailbox *m, const struct message *x)
{
    if (x->previous == NULL)
        m->first[x->kind] = x->next;
    else
        x->previous->next = x->next;
    if (x->next == NULL)
        m->last[x->kind] = x->previous;
    else
        x->next->previous = x->previous;
}

static void unlink_of_sender(struct sender_state *sender, const struct message *x)
{
    struct message *before = NULL;

    for (struct message *at = sender->first; at != x; at = at->next_of_sender)
        before = at;
    if (before == NULL)
        sender->first = x->next_of_sender;
    else
        before->next_of_sender = x->next_of_sender;
    if (sender->last == x)
        sender->last = before;
}

/* With the lock held; NULL: there is none. */
static struct message *take_message(struct mailbox *m, int from, transport_kinds kinds)
{
    struct message *x = find_message(m, from, kinds);

    if (x == NULL)
        return NULL;
    struct sender_state *sender = m->senders[x->from];

    unlink_of_kind(m, x);
    unlink_of_sender(sender, x);
    sender->pending--;
    sender->queued[x->kind]--;
    return x;
}

/* The first message if there is one; else the receive is posted from now on. */
static struct message *take_or_post(struct mailbox *m, const struct recv_request *request)
{
    struct posted_recv *p = &m->posted;

    pthread_mutex_lock(&m->mutex);

    struct message *x = take_message(m, request->from, request->kinds);

    if (x == NULL) {
        p->request = *request;
        atomic_store_explicit(&p->is_filled, false, memory_order_relaxed);
        p->is_open = true;
    }
    pthread_mutex_unlock(&m->mutex);
    return x;
}

static bool is_filled(const struct mailbox *m)
{
    return atomic_load_explicit(&m->posted.is_filled, memory_order_acquire);
}

static void spin_until_filled(struct threads_endpoint *e)
{
    const double since = clock_seconds();

    for (int i = 0; i < e->spins && !is_filled(&e->mailbox); i++)
        threads_cpu_relax();
    e->base.counters.waiting += clock_seconds() - since;
    threads_adapt_spins(e, is_filled(&e->mailbox));
}

/*
 * Until the places are filled (NULL), a message came that does not fit there, or the run was
 * aborted (NULL too). Nobody writes to the places afterwards.
 */
static struct message *await_next(struct threads_endpoint *e)
{
    struct mailbox *m = &e->mailbox;
    struct posted_recv *p = &m->posted;
    struct message *x = NULL;
    const double since = clock_seconds();

    pthread_mutex_lock(&m->mutex);
    while (p->is_taken || (!is_filled(m) && !failure_is_set(&e->world->failure) &&
                           (x = take_message(m, p->request.from, p->request.kinds)) == NULL))
        park(e);
    p->is_open = false;
    pthread_mutex_unlock(&m->mutex);
    e->base.counters.waiting += clock_seconds() - since;
    return x;
}

static enum status refuse_large(const struct threads_endpoint *e, const struct envelope *envelope,
                                size_t capacity)
{
    const struct endpoint_name from = transport_name_of(&e->base, envelope->from),
                               to = transport_name_of(&e->base, e->base.rank);

    return FAIL(STATUS_PEER,
                "a message of %zu bytes from %s is larger than the %zu bytes that %s "
                "has room for (kind %d)",
                envelope->bytes, from.text, capacity, to.text, envelope->kind);
}

/* Answers where it lies, which is the receiver's from now on. */
static struct message_buffer *deliver(struct threads_endpoint *e, struct message *x,
                                      struct envelope *envelope)
{
    struct mailbox *m = &e->mailbox;
    struct message_buffer *buffer = x->buffer;

    *envelope = (struct envelope){.from = x->from, .kind = x->kind, .bytes = buffer->bytes};
    x->buffer = NULL;
    pthread_mutex_lock(&m->mutex);
    envelope->sequence = m->senders[x->from]->received[x->kind]++;
    x->next = m->spare;
    m->spare = x;
    pthread_mutex_unlock(&m->mutex);
    return buffer;
}

/* The next message that was asked for: in its buffer, or, where that is NULL, in the places. */
static enum status receive_next(struct threads_endpoint *e, const struct recv_request *request,
                                struct envelope *envelope, struct message_buffer **buffer)
{
    const size_t capacity = transport_incoming_bytes(request->parts, request->count);

    *buffer = NULL;
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);

    struct message *x = take_or_post(&e->mailbox, request);

    if (x == NULL && e->world->spins)
        spin_until_filled(e);
    if (x == NULL && !is_filled(&e->mailbox))
        x = await_next(e);
    if (x != NULL) {
        *buffer = deliver(e, x, envelope);
        if (envelope->bytes <= capacity)
            return STATUS_OK;
        message_buffer_release(&e->world->pool, *buffer);
        *buffer = NULL;
        return refuse_large(e, envelope, capacity);
    }
    if (!is_filled(&e->mailbox))
        return failure_answer(&e->world->failure);
    *envelope = e->mailbox.posted.envelope;
    return STATUS_OK;
}

enum status threads_recv(struct transport *t, int from, transport_kinds kinds,
                         struct envelope *envelope, const struct incoming *parts, int count)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;
    struct message_buffer *buffer;

    TRY(receive_next(e, &(struct recv_request){from, kinds, parts, count}, envelope, &buffer));
    if (buffer != NULL) {
        transport_spread_parts(parts, count, buffer->data, buffer->bytes);
        message_buffer_release(&e->world->pool, buffer);
    }
    return STATUS_OK;
}

enum status threads_borrow(struct transport *t, int from, int kind, struct envelope *envelope,
                           const struct incoming *place, const void **data)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;
    struct message_buffer **buffer = &e->mailbox.borrowed;

    TRY(receive_next(e, &(struct recv_request){from, transport_kinds_of(kind), place, 1}, envelope,
                     buffer));
    *data = *buffer != NULL ? (*buffer)->data : place->data;
    return STATUS_OK;
}

void threads_give_back(struct transport *t)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;

    if (e->mailbox.borrowed != NULL)
        message_buffer_release(&e->world->pool, e->mailbox.borrowed);
    e->mailbox.borrowed = NULL;
}

/* --- waiting for several --- */

/* With the lock held. */
static void begin_recv_all(struct threads_endpoint *e, const struct peers *from, int kind)
{
    struct mailbox *m = &e->mailbox;

    m->recv_all = (struct recv_all){.kind = kind};
    for (int i = 0; i < from->count; i++) {
        struct sender_state *sender = mailbox_sender(m, from->ranks[i], e->base.size);

        sender->is_wanted = sender->queued[kind] == 0;
        m->recv_all.missing += sender->is_wanted;
    }
}

/* One that has a core of its own soon knows, and takes each as it comes. */
enum status threads_await(struct transport *t, const struct peers *from, int kind)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;
    struct mailbox *m = &e->mailbox;
    const struct failure *failure = &e->world->failure;

    if (e->world->spins)
        return STATUS_OK;
    const double since = clock_seconds();

    pthread_mutex_lock(&m->mutex);
    begin_recv_all(e, from, kind);
    const bool waits = m->recv_all.missing > 0;

    while (m->recv_all.missing > 0 && !failure_is_set(failure))
        park(e);
    m->recv_all.missing = 0;
    pthread_mutex_unlock(&m->mutex);
    if (waits)
        t->counters.waiting += clock_seconds() - since;
    return failure_is_set(failure) ? failure_answer(&e->world->failure) : STATUS_OK;
}

/* --- sleep: nobody wakes a sleeper but abort --- */

static struct timespec moment_after(double seconds)
{
    const double at = clock_seconds() + fmin(seconds, 1e9);
    const double whole = floor(at);

    return (struct timespec){.tv_sec = (time_t)whole, .tv_nsec = (long)((at - whole) * 1e9)};
}

enum status threads_sleep(struct transport *t, double seconds)
{
    struct threads_endpoint *e = (struct threads_endpoint *)t;
    struct mailbox *m = &e->mailbox;
    const struct timespec until = moment_after(seconds);
    int error = 0;

    if (t->is_computing)
        core_slots_give(e->world->slots, &e->slot_holder);
    pthread_mutex_lock(&m->mutex);
    while (error != ETIMEDOUT && !failure_is_set(&e->world->failure))
        error = pthread_cond_timedwait(&m->arrived, &m->mutex, &until);
    pthread_mutex_unlock(&m->mutex);
    if (t->is_computing) {
        const double woken = clock_seconds();

        core_slots_take(e->world->slots, &e->slot_holder);
        t->counters.waiting += clock_seconds() - woken;
    }
    return failure_is_set(&e->world->failure) ? failure_answer(&e->world->failure) : STATUS_OK;
}
