/*
 * send.c - sending messages between threads: copied once by the sender, outside the lock, for all
 * receivers together; queued by kind in order of arrival, or straight to where a receiver waits.
 *
 * Not here: receiving (receive.c), and the memory that messages lie in (message_pool.c).
 */
#include "base/mem.h"
#include "comm/threads/internal.h"

static enum status refuse_more(const struct transport *t, int to)
{
    const struct endpoint_name from = transport_name_of(t, t->rank),
                               name = transport_name_of(t, to);

    return FAIL(STATUS_PEER, "%s has %d undelivered messages from %s, which is the limit",
                name.text, TRANSPORT_PENDING_MAX, from.text);
}

static void append(struct mailbox *m, struct message *x)
{
    struct sender_state *sender = m->senders[x->from];

    x->arrival = m->arrivals++;
    x->previous = m->last[x->kind];
    if (x->previous == NULL)
        m->first[x->kind] = x;
    else
        x->previous->next = x;
    m->last[x->kind] = x;
    if (sender->first == NULL)
        sender->first = x;
    else
        sender->last->next_of_sender = x;
    sender->last = x;
    sender->queued[x->kind]++;
}

/* Whether the receiver waits for a message like this; with the lock held. */
static bool is_awaited(const struct mailbox *m, int from, int kind)
{
    const struct recv_request *request = &m->posted.request;

    return m->posted.is_open && (request->kinds & transport_kinds_of(kind)) != 0 &&
           (request->from == TRANSPORT_ANY || request->from == from);
}

/* Whether it may go straight to the receiver's places, which are the sender's then until they are
 * filled. One that does not fit goes by the queue, where the receiver finds it too large. */
static bool claim_posted(struct mailbox *m, int from, int kind, size_t bytes)
{
    struct posted_recv *p = &m->posted;

    if (!is_awaited(m, from, kind) ||
        bytes > transport_incoming_bytes(p->request.parts, p->request.count))
        return false;
    p->is_open = false;
    p->is_taken = true;
    return true;
}

static void fill_posted(struct threads_endpoint *to, const struct envelope *e,
                        const struct outgoing *parts, int count)
{
    struct mailbox *m = &to->mailbox;
    struct posted_recv *p = &m->posted;

    transport_copy_parts(p->request.parts, p->request.count, parts, count);
    pthread_mutex_lock(&m->mutex);
    p->envelope = *e;
    p->envelope.sequence = m->senders[e->from]->received[e->kind]++;
    p->is_taken = false;
    atomic_store_explicit(&p->is_filled, true, memory_order_release);
    mailbox_unlock_and_wake(to);
}

/* Whether it is the last message that a receiver waits for who wants several. */
static bool ends_recv_all(struct mailbox *m, const struct message *x)
{
    struct recv_all *all = &m->recv_all;
    struct sender_state *sender = m->senders[x->from];

    if (all->missing == 0 || all->kind != x->kind || !sender->is_wanted)
        return false;
    sender->is_wanted = false;
    return --all->missing == 0;
}

/* A receiver that began to wait meanwhile takes it from there: no other may come before it. */
static void queue_message(struct threads_endpoint *to, struct message *x)
{
    struct mailbox *m = &to->mailbox;

    pthread_mutex_lock(&m->mutex);
    const bool is_next = is_awaited(m, x->from, x->kind);

    if (is_next)
        m->posted.is_open = false;
    append(m, x);
    if (ends_recv_all(m, x) || is_next)
        mailbox_unlock_and_wake(to);
    else
        pthread_mutex_unlock(&m->mutex);
}

/* With the lock held. */
static struct message *spare_take(struct mailbox *m)
{
    struct message *x = m->spare;

    if (x != NULL)
        m->spare = x->next;
    return x;
}

/* What is sent, and its buffer once it has one. */
struct send_request {
    struct envelope envelope;
    const struct outgoing *parts;
    int count;
    struct message_buffer *buffer;
};

static void queue_copy(struct threads_endpoint *to, struct send_request *r, struct message *x)
{
    if (x == NULL)
        x = MEM_NEW(struct message);
    if (r->buffer == NULL)
        r->buffer = message_buffer_new(&to->world->pool, r->parts, r->count);
    message_buffer_retain(r->buffer);
    *x = (struct message){.from = r->envelope.from, .kind = r->envelope.kind, .buffer = r->buffer};
    queue_message(to, x);
}

static enum status send_one(struct transport *t, int rank, struct send_request *r)
{
    struct threads_endpoint *to = threads_endpoint_at(((struct threads_endpoint *)t)->world, rank);
    struct mailbox *m = &to->mailbox;
    const struct envelope *e = &r->envelope;
    struct message *x = NULL;

    pthread_mutex_lock(&m->mutex);

    struct sender_state *sender = mailbox_sender(m, e->from, t->size);
    const bool goes_straight = claim_posted(m, e->from, e->kind, e->bytes);
    const bool is_full = !goes_straight && sender->pending == TRANSPORT_PENDING_MAX;

    if (!goes_straight && !is_full) {
        sender->pending++;
        x = spare_take(m);
    }
    pthread_mutex_unlock(&m->mutex);
    if (is_full)
        return refuse_more(t, rank);
    if (goes_straight)
        fill_posted(to, e, r->parts, r->count);
    else
        queue_copy(to, r, x);
    return STATUS_OK;
}

enum status threads_send_each(struct transport *t, const struct peers *to, int kind,
                              const struct outgoing *parts, int count)
{
    struct threads_world *w = ((struct threads_endpoint *)t)->world;
    struct send_request r = {
        .envelope = {t->rank, kind, transport_outgoing_bytes(parts, count), 0},
        .parts = parts,
        .count = count
    };
    enum status s = STATUS_OK;

    if (failure_is_set(&w->failure))
        return failure_answer(&w->failure);
    for (int i = 0; i < to->count && s == STATUS_OK; i++)
        s = send_one(t, to->ranks[i], &r);
    if (r.buffer != NULL)
        message_buffer_release(&w->pool, r.buffer);
    return s;
}

enum status threads_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                         int count)
{
    return threads_send_each(t, &(struct peers){&to, 1}, kind, parts, count);
}
