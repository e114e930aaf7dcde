/*
 * messages.c - messages over MPI.
 *
 * A send is synchronous and started only: its request is complete when the receiver has taken the
 * message, so that what is undelivered can be counted as on every transport.
 *
 * Not here: how a message comes to its endpoint (inbox.c).
 */
#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "comm/mpi/internal.h"

/* A delivery is known to the sender a moment after it happened. */
static const double acknowledgement_s = 0.2;

/* --- sending --- */

static bool is_delivered(struct send_buffer *p)
{
    int done = 0;

    if (p->is_local)
        return atomic_load(&p->is_delivered);
    MPI_Test(&p->request, &done, MPI_STATUS_IGNORE);
    return done;
}

static void collect_delivered(struct mpi_endpoint *e, struct outbox *o)
{
    for (struct send_buffer **at = &o->pending; *at != NULL;) {
        struct send_buffer *p = *at;

        if (!is_delivered(p)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = e->spare;
        e->spare = p;
        o->count--;
    }
}

static struct send_buffer *take_send_buffer(struct mpi_endpoint *e, size_t bytes)
{
    struct send_buffer **at = &e->spare;

    while (*at != NULL && (*at)->capacity < bytes)
        at = &(*at)->next;
    if (*at == NULL)
        at = &e->spare;

    struct send_buffer *p = *at;

    if (p == NULL)
        p = MEM_NEW(struct send_buffer);
    else
        *at = p->next;
    if (p->capacity < bytes) {
        mem_free(p->data);
        p->data = mem_alloc((int64_t)bytes, 1);
        p->capacity = bytes;
    }
    p->bytes = bytes;
    return p;
}

static enum status wait_for_capacity(struct mpi_endpoint *e, int to)
{
    struct outbox *o = &e->outboxes[to];
    const double began = clock_seconds();
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};

    collect_delivered(e, o);
    while (o->count == TRANSPORT_PENDING_MAX && clock_seconds() - began < acknowledgement_s &&
           !failure_is_set(&e->world->failure)) {
        mpi_backoff_wait(&backoff);
        collect_delivered(e, o);
    }
    mpi_backoff_end(&backoff);
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    if (o->count < TRANSPORT_PENDING_MAX)
        return STATUS_OK;

    const struct endpoint_name from = transport_name_of(&e->base, e->base.rank),
                               name = transport_name_of(&e->base, to);

    return FAIL(STATUS_PEER, "%s has %d undelivered messages from %s, which is the limit",
                name.text, TRANSPORT_PENDING_MAX, from.text);
}

static enum status start_send(struct mpi_endpoint *e, int to, int kind, struct send_buffer *p)
{
    struct mpi_world *w = e->world;
    const int process = mpi_process_of(&w->base, to);

    p->is_local = process == w->base.process;
    if (p->is_local) {
        atomic_store(&p->is_delivered, false);
        mpi_inbox_hand_over((struct mpi_endpoint *)w->endpoints[mpi_place_of(&w->base, to)],
                            e->base.rank, kind, p);
        return STATUS_OK;
    }

    const struct mpi_bytes s = mpi_bytes_of(p->bytes);
    const int code =
        MPI_Issend(p->data, s.count, s.type, process, mpi_tag_of(&w->base, e->base.rank, to, kind),
                   w->messages, &p->request);

    mpi_bytes_end(s);
    /* collect_delivered asks for it later. NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker) */
    return mpi_check(code, "MPI_Issend");
}

enum status mpi_send(struct transport *t, int to, int kind, const struct outgoing *parts, int count)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct outbox *o = &e->outboxes[to];

    TRY(wait_for_capacity(e, to));

    struct send_buffer *p = take_send_buffer(e, transport_outgoing_bytes(parts, count));

    transport_gather_parts(p->data, parts, count);
    p->next = o->pending;
    o->pending = p;
    o->count++;
    return start_send(e, to, kind, p);
}

bool mpi_outboxes_are_empty(struct mpi_endpoint *e)
{
    int left = 0;

    for (int i = 0; i < e->base.size; i++) {
        collect_delivered(e, &e->outboxes[i]);
        left += e->outboxes[i].count;
    }
    return left == 0;
}

static void free_send_buffers(struct send_buffer *p)
{
    while (p != NULL) {
        struct send_buffer *next = p->next;

        mem_free(p->data);
        mem_free(p);
        p = next;
    }
}

void mpi_outboxes_release(struct mpi_endpoint *e)
{
    CHECK(mpi_outboxes_are_empty(e));
    free_send_buffers(e->spare);
    mem_free(e->outboxes);
}

/* --- receiving --- */

static enum status look_once(struct mpi_endpoint *e, int from, transport_kinds kinds,
                             struct arrival *a, bool *found)
{
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    return mpi_inbox_take(e, from, kinds, a, found);
}

static enum status wait_for_arrival(struct mpi_endpoint *e, int from, transport_kinds kinds,
                                    struct arrival *a)
{
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};
    bool found = false;
    enum status s = look_once(e, from, kinds, a, &found);

    while (s == STATUS_OK && !found) {
        mpi_backoff_wait(&backoff);
        s = look_once(e, from, kinds, a, &found);
    }
    mpi_backoff_end(&backoff);
    return s;
}

/* What was taken is received to the end, also when the run fails: the buffer is borrowed. */
static enum status receive_message(struct mpi_endpoint *e, struct arrival *a, void *buffer)
{
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e, .is_transfer = true};
    const struct mpi_bytes s = mpi_bytes_of(a->bytes);
    MPI_Request request;
    int done = 0;
    int code = MPI_Imrecv(buffer, s.count, s.type, &a->message, &request);

    mpi_bytes_end(s);
    while (code == MPI_SUCCESS && !done) {
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            mpi_backoff_wait(&backoff);
    }
    mpi_backoff_end(&backoff);
    return mpi_check(code, "MPI_Imrecv");
}

static enum status refuse_large(struct mpi_endpoint *e, struct arrival *a, size_t capacity)
{
    void *lost = a->local == NULL ? mem_alloc((int64_t)a->bytes, 1) : NULL;
    const struct endpoint_name from = transport_name_of(&e->base, a->from),
                               to = transport_name_of(&e->base, e->base.rank);
    const enum status s = a->local == NULL ? receive_message(e, a, lost) : STATUS_OK;

    if (a->local != NULL)
        atomic_store(&a->local->is_delivered, true);
    mem_free(lost);
    TRY(s);
    return FAIL(STATUS_PEER,
                "a message of %zu bytes from %s is larger than the %zu bytes that %s has room for "
                "(kind %d)",
                a->bytes, from.text, capacity, to.text, a->kind);
}

/* Into one place, or by way of a buffer into several. */
static enum status receive_parts(struct mpi_endpoint *e, struct arrival *a,
                                 const struct incoming *parts, int count)
{
    if (a->local != NULL) {
        transport_spread_parts(parts, count, a->local->data, a->bytes);
        atomic_store(&a->local->is_delivered, true);
        return STATUS_OK;
    }
    if (count == 1)
        return receive_message(e, a, parts[0].data);

    struct send_buffer *p = take_send_buffer(e, a->bytes);
    const enum status s = receive_message(e, a, p->data);

    if (s == STATUS_OK)
        transport_spread_parts(parts, count, p->data, a->bytes);
    p->next = e->spare;
    e->spare = p;
    return s;
}

enum status mpi_recv(struct transport *t, int from, transport_kinds kinds,
                     struct envelope *envelope, const struct incoming *parts, int count)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct arrival a = {0};

    TRY(wait_for_arrival(e, from, kinds, &a));
    *envelope = (struct envelope){
        .from = a.from,
        .kind = a.kind,
        .bytes = a.bytes,
        .sequence = e->received[a.from * TRANSPORT_KINDS + a.kind]++,
    };
    if (a.bytes > transport_incoming_bytes(parts, count))
        return refuse_large(e, &a, transport_incoming_bytes(parts, count));
    return receive_parts(e, &a, parts, count);
}
