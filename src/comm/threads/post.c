/*
 * post.c - sending messages between threads: copied once by the sender, outside the lock, for all
 * receivers together; queued by kind in order of arrival, or straight to where a receiver waits.
 *
 * Not here: receiving (mailbox.c), and the memory that messages lie in (room.c).
 */
#include "base/mem.h"
#include "comm/threads/hub.h"

static enum status refuse_more(const struct transport *t, int to)
{
    const struct endpoint_name from = transport_name_of(t, t->rank),
                               name = transport_name_of(t, to);

    return FAIL(STATUS_PEER, "%s has not received %d messages of %s, and no more may wait",
                name.text, TRANSPORT_PENDING_MAX, from.text);
}

static void append(struct mailbox *m, struct message *x)
{
    if (m->first[x->kind] == NULL)
        m->first[x->kind] = x;
    else
        m->last[x->kind]->next = x;
    m->last[x->kind] = x;
    m->lanes[x->from]->queued[x->kind]++;
}

/* Whether the receiver waits for a message like this; with the lock held. */
static bool is_awaited(const struct mailbox *m, int from, int kind)
{
    const struct wish *w = &m->opening.wish;

    return m->opening.is_open && w->kind == kind && (w->from == TRANSPORT_ANY || w->from == from);
}

/* Whether it may go straight to the receiver's places, which are the sender's then until they are
 * filled. One that does not fit goes by the queue, where the receiver finds it too large. */
static bool take_opening(struct mailbox *m, int from, int kind, size_t bytes)
{
    struct opening *o = &m->opening;

    if (!is_awaited(m, from, kind) || bytes > incoming_bytes(o->wish.parts, o->wish.count))
        return false;
    o->is_open = false;
    o->is_taken = true;
    return true;
}

static void fill_opening(struct endpoint *to, const struct envelope *e,
                         const struct outgoing *parts, int count)
{
    struct mailbox *m = &to->mailbox;
    struct opening *o = &m->opening;

    incoming_fill(o->wish.parts, o->wish.count, parts, count);
    pthread_mutex_lock(&m->mutex);
    o->envelope = *e;
    o->envelope.sequence = m->lanes[e->from]->received[e->kind]++;
    o->is_taken = false;
    atomic_store_explicit(&o->is_filled, true, memory_order_release);
    mailbox_unlock_and_wake(to);
}

/* Whether it is the last message that a receiver waits for who wants several. */
static bool ends_vigil(struct mailbox *m, const struct message *x)
{
    struct vigil *v = &m->vigil;
    struct lane *lane = m->lanes[x->from];

    if (v->missing == 0 || v->kind != x->kind || !lane->is_wanted)
        return false;
    lane->is_wanted = false;
    return --v->missing == 0;
}

/* A receiver that began to wait meanwhile takes it from there: no other may come before it. */
static void queue_message(struct endpoint *to, struct message *x)
{
    struct mailbox *m = &to->mailbox;

    pthread_mutex_lock(&m->mutex);
    const bool is_next = is_awaited(m, x->from, x->kind);

    if (is_next)
        m->opening.is_open = false;
    append(m, x);
    if (ends_vigil(m, x) || is_next)
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

/* What is sent, and its room once it has one. */
struct letter {
    struct envelope envelope;
    const struct outgoing *parts;
    int count;
    struct room *room;
};

static void queue_letter(struct endpoint *to, struct letter *l, struct message *x)
{
    if (x == NULL)
        x = MEM_NEW(struct message);
    if (l->room == NULL)
        l->room = room_make(&to->hub->rooms, l->parts, l->count);
    room_enter(l->room);
    *x = (struct message){.from = l->envelope.from, .kind = l->envelope.kind, .room = l->room};
    queue_message(to, x);
}

static enum status post_one(struct transport *t, int rank, struct letter *l)
{
    struct endpoint *to = hub_endpoint(((struct endpoint *)t)->hub, rank);
    struct mailbox *m = &to->mailbox;
    const struct envelope *e = &l->envelope;
    struct message *x = NULL;

    pthread_mutex_lock(&m->mutex);

    struct lane *lane = mailbox_lane(m, e->from, t->size);
    const bool goes_straight = take_opening(m, e->from, e->kind, e->bytes);
    const bool is_full = !goes_straight && lane->pending == TRANSPORT_PENDING_MAX;

    if (!goes_straight && !is_full) {
        lane->pending++;
        x = spare_take(m);
    }
    pthread_mutex_unlock(&m->mutex);
    if (is_full)
        return refuse_more(t, rank);
    if (goes_straight)
        fill_opening(to, e, l->parts, l->count);
    else
        queue_letter(to, l, x);
    return STATUS_OK;
}

enum status post_send_each(struct transport *t, const struct peers *to, int kind,
                           const struct outgoing *parts, int count)
{
    struct hub *h = ((struct endpoint *)t)->hub;
    struct letter l = {
        .envelope = {t->rank, kind, outgoing_bytes(parts, count), 0},
        .parts = parts,
        .count = count
    };
    enum status s = STATUS_OK;

    if (failure_is_set(&h->failure))
        return failure_answer(&h->failure);
    for (int i = 0; i < to->count && s == STATUS_OK; i++)
        s = post_one(t, to->ranks[i], &l);
    if (l.room != NULL)
        room_leave(&h->rooms, l.room);
    return s;
}

enum status post_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                      int count)
{
    return post_send_each(t, &(struct peers){&to, 1}, kind, parts, count);
}
