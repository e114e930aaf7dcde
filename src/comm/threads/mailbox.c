/*
 * mailbox.c - receiving messages between threads, and sleep.
 *
 * Who waits for a message gets it straight to where it wants it, without the queue: the models and
 * gradients of a parameter server, whose endpoints wait for each other in turn, are copied once. So
 * are those that a node tells its neighbours, which read them where they lie (room.c).
 *
 * Who computes has given its slot back while it waits. Whoever ends the wait asks for a new one, so
 * that the receiver wakes up once, when it may compute.
 *
 * Not here: sending (post.c).
 */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "comm/threads/hub.h"

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

static void free_messages(struct rooms *r, struct message *m)
{
    while (m != NULL) {
        struct message *next = m->next;

        if (m->room != NULL)
            room_leave(r, m->room);
        mem_free(m);
        m = next;
    }
}

void mailbox_release(struct endpoint *e)
{
    struct mailbox *m = &e->mailbox;
    struct rooms *r = &e->hub->rooms;

    for (int kind = 0; kind < TRANSPORT_KINDS; kind++)
        free_messages(r, m->first[kind]);
    free_messages(r, m->spare);
    mailbox_give_back(&e->base);
    for (int i = 0; i < e->base.size && m->lanes != NULL; i++)
        mem_free(m->lanes[i]);
    mem_free(m->lanes);
    pthread_cond_destroy(&m->arrived);
    pthread_mutex_destroy(&m->mutex);
    *m = (struct mailbox){0};
}

/* Most endpoints hear from few others or from none: all lanes of all would be a square of memory.
 With the lock held. */
struct lane *mailbox_lane(struct mailbox *m, int from, int size)
{
    if (m->lanes == NULL)
        m->lanes = MEM_NEW_N(struct lane *, size);
    if (m->lanes[from] == NULL)
        m->lanes[from] = MEM_NEW(struct lane);
    return m->lanes[from];
}

/* --- waiting; all with the lock held --- */

/* Somebody may have come for another reason: the caller looks, and waits again. */
static void park(struct endpoint *e)
{
    struct mailbox *m = &e->mailbox;

    if (!e->base.is_computing) {
        pthread_cond_wait(&m->arrived, &m->mutex);
        return;
    }
    m->is_parked = true;
    pthread_mutex_unlock(&m->mutex);
    slots_give(e->hub->slots, &e->place);
    slots_await(e->hub->slots, &e->place);
    pthread_mutex_lock(&m->mutex);
}

/* Unlocked first: the receiver begins with locking it. */
void mailbox_unlock_and_wake(struct endpoint *e)
{
    struct mailbox *m = &e->mailbox;
    const bool is_parked = m->is_parked;

    m->is_parked = false;
    pthread_mutex_unlock(&m->mutex);
    if (is_parked)
        slots_ask(e->hub->slots, &e->place);
    else
        pthread_cond_signal(&m->arrived);
}

void mailbox_wake(struct endpoint *e)
{
    pthread_mutex_lock(&e->mailbox.mutex);
    mailbox_unlock_and_wake(e);
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
    m->lanes[x->from]->queued[kind]--;
    return x;
}

/* The first message if there is one; else the receiver's places are open from now on. */
static struct message *take_or_open(struct mailbox *m, const struct wish *wish)
{
    struct opening *o = &m->opening;

    pthread_mutex_lock(&m->mutex);

    struct message *x = take(m, wish->from, wish->kind);

    if (x == NULL) {
        o->wish = *wish;
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
static struct message *await_next(struct endpoint *e)
{
    struct mailbox *m = &e->mailbox;
    struct opening *o = &m->opening;
    struct message *x = NULL;
    const double since = clock_seconds();

    pthread_mutex_lock(&m->mutex);
    while (o->is_taken || (!is_filled(m) && !failure_is_set(&e->hub->failure) &&
                           (x = take(m, o->wish.from, o->wish.kind)) == NULL))
        park(e);
    o->is_open = false;
    pthread_mutex_unlock(&m->mutex);
    e->base.account.waiting += clock_seconds() - since;
    return x;
}

static enum status refuse_large(const struct endpoint *e, const struct envelope *envelope,
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
static struct room *deliver(struct endpoint *e, struct message *x, struct envelope *envelope)
{
    struct mailbox *m = &e->mailbox;
    struct room *room = x->room;

    *envelope = (struct envelope){.from = x->from, .kind = x->kind, .bytes = room->bytes};
    x->room = NULL;
    pthread_mutex_lock(&m->mutex);
    envelope->sequence = m->lanes[x->from]->received[x->kind]++;
    x->next = m->spare;
    m->spare = x;
    pthread_mutex_unlock(&m->mutex);
    return room;
}

/* The next message that is wished for: in its room, or, where that is NULL, in the places. */
static enum status receive(struct endpoint *e, const struct wish *wish, struct envelope *envelope,
                           struct room **room)
{
    const size_t capacity = incoming_bytes(wish->parts, wish->count);

    *room = NULL;
    if (failure_is_set(&e->hub->failure))
        return failure_answer(&e->hub->failure);

    struct message *x = take_or_open(&e->mailbox, wish);

    if (x == NULL && e->hub->spins)
        spin(e);
    if (x == NULL && !is_filled(&e->mailbox))
        x = await_next(e);
    if (x != NULL) {
        *room = deliver(e, x, envelope);
        if (envelope->bytes <= capacity)
            return STATUS_OK;
        room_leave(&e->hub->rooms, *room);
        *room = NULL;
        return refuse_large(e, envelope, capacity);
    }
    if (!is_filled(&e->mailbox))
        return failure_answer(&e->hub->failure);
    *envelope = e->mailbox.opening.envelope;
    return STATUS_OK;
}

enum status mailbox_recv(struct transport *t, int from, int kind, struct envelope *envelope,
                         const struct incoming *parts, int count)
{
    struct endpoint *e = (struct endpoint *)t;
    struct room *room;

    TRY(receive(e, &(struct wish){from, kind, parts, count}, envelope, &room));
    if (room != NULL) {
        incoming_spread(parts, count, room->data, room->bytes);
        room_leave(&e->hub->rooms, room);
    }
    return STATUS_OK;
}

enum status mailbox_borrow(struct transport *t, int from, int kind, struct envelope *envelope,
                           const struct incoming *place, const void **data)
{
    struct endpoint *e = (struct endpoint *)t;
    struct room **room = &e->mailbox.borrowed;

    TRY(receive(e, &(struct wish){from, kind, place, 1}, envelope, room));
    *data = *room != NULL ? (*room)->data : place->data;
    return STATUS_OK;
}

void mailbox_give_back(struct transport *t)
{
    struct endpoint *e = (struct endpoint *)t;

    if (e->mailbox.borrowed != NULL)
        room_leave(&e->hub->rooms, e->mailbox.borrowed);
    e->mailbox.borrowed = NULL;
}

/* --- waiting for several --- */

/* With the lock held. */
static void begin_vigil(struct endpoint *e, const struct peers *from, int kind)
{
    struct mailbox *m = &e->mailbox;

    m->vigil = (struct vigil){.kind = kind};
    for (int i = 0; i < from->count; i++) {
        struct lane *lane = mailbox_lane(m, from->ranks[i], e->base.size);

        lane->is_wanted = lane->queued[kind] == 0;
        m->vigil.missing += lane->is_wanted;
    }
}

/* One that has a core of its own is soon told, and takes each as it comes. */
enum status mailbox_await(struct transport *t, const struct peers *from, int kind)
{
    struct endpoint *e = (struct endpoint *)t;
    struct mailbox *m = &e->mailbox;
    const struct failure *failure = &e->hub->failure;

    if (e->hub->spins)
        return STATUS_OK;
    const double since = clock_seconds();

    pthread_mutex_lock(&m->mutex);
    begin_vigil(e, from, kind);
    const bool waits = m->vigil.missing > 0;

    while (m->vigil.missing > 0 && !failure_is_set(failure))
        park(e);
    m->vigil.missing = 0;
    pthread_mutex_unlock(&m->mutex);
    if (waits)
        t->account.waiting += clock_seconds() - since;
    return failure_is_set(failure) ? failure_answer(&e->hub->failure) : STATUS_OK;
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
