/*
 * messages.c - messages over MPI.
 *
 * A send is synchronous and started only: its request is complete when the receiver has taken the
 * message, so that what is undelivered can be counted as on every transport. The tag says kind,
 * whether the server receives and whether the server sends, because on rank 0 the server may live
 * beside a worker, and a responder lives beside every worker. MPI keeps the order per rank and tag,
 * which is that per endpoints and kind.
 */
#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"
#include "comm/mpi/internal.h"

/* A delivery is known to the sender a moment after it happened. */
static const double acknowledgement_s = 0.2;

/* Or a responder: what there is beside the workers. */
static bool is_server(const struct transport *t, int endpoint)
{
    return endpoint >= t->workers;
}

int mpi_process_of(const struct world *w, int endpoint)
{
    if (endpoint < w->workers || w->server == WORLD_SERVER_OWN)
        return endpoint;
    return endpoint - w->workers; /* the server is a thread of rank 0 */
}

static int endpoint_of(const struct mpi_world *w, int process, bool is_server)
{
    if (!is_server)
        return process;
    return w->base.workers + (w->base.server == WORLD_RESPONDERS ? process : 0);
}

static int tag_of(int kind, bool to_server, bool from_server)
{
    return kind * 4 + (to_server ? 2 : 0) + (from_server ? 1 : 0);
}

/* --- sending --- */

static void collect_delivered(struct mpi_endpoint *e, struct outbox *o)
{
    for (struct send_buffer **at = &o->pending; *at != NULL;) {
        struct send_buffer *p = *at;
        int done = 0;

        MPI_Test(&p->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
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

enum status mpi_send(struct transport *t, int to, int kind, const struct outgoing *parts, int count)
{
    const size_t bytes = transport_outgoing_bytes(parts, count);
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct outbox *o = &e->outboxes[to];

    TRY(wait_for_capacity(e, to));

    struct send_buffer *p = take_send_buffer(e, bytes);
    const struct mpi_bytes s = mpi_bytes_of(bytes);
    const int tag = tag_of(kind, is_server(t, to), is_server(t, t->rank));

    transport_gather_parts(p->data, parts, count);

    const int code = MPI_Issend(p->data, s.count, s.type, mpi_process_of(&e->world->base, to), tag,
                                e->world->messages, &p->request);

    mpi_bytes_end(s);
    p->next = o->pending;
    o->pending = p;
    o->count++;
    /* collect_delivered asks for it later. NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker) */
    return mpi_check(code, "MPI_Issend");
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

/* A message that was found: it is ours alone from here on. */
struct found {
    MPI_Message message;
    MPI_Status status;
    bool from_server;
    int kind;
    int is_there;
};

static enum status probe(struct mpi_endpoint *e, int from, int kind, struct found *f)
{
    const bool to_server = is_server(&e->base, e->base.rank);
    const int source =
        from == TRANSPORT_ANY ? MPI_ANY_SOURCE : mpi_process_of(&e->world->base, from);

    return mpi_check(MPI_Improbe(source, tag_of(kind, to_server, f->from_server),
                                 e->world->messages, &f->is_there, &f->message, &f->status),
                     "MPI_Improbe");
}

/* From any: workers and the server have different tags and take turns in being asked first. */
static enum status probe_any(struct mpi_endpoint *e, int kind, struct found *f)
{
    const bool has_server = e->base.size > e->base.workers;

    f->from_server = has_server && e->asks_server;
    TRY(probe(e, TRANSPORT_ANY, kind, f));
    if (!f->is_there && has_server) {
        f->from_server = !f->from_server;
        TRY(probe(e, TRANSPORT_ANY, kind, f));
    }
    if (f->is_there)
        e->asks_server = !f->from_server;
    return STATUS_OK;
}

static enum status probe_kind(struct mpi_endpoint *e, int from, int kind, struct found *f)
{
    f->kind = kind;
    if (from == TRANSPORT_ANY)
        return probe_any(e, kind, f);
    f->from_server = is_server(&e->base, from);
    return probe(e, from, kind, f);
}

/* Control kinds, which are the last, come first: they are few. */
static enum status probe_once(struct mpi_endpoint *e, int from, transport_kinds kinds,
                              struct found *f)
{
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    for (int kind = TRANSPORT_KINDS - 1; kind >= 0 && !f->is_there; kind--)
        if ((kinds & transport_kinds_of(kind)) != 0)
            TRY(probe_kind(e, from, kind, f));
    return STATUS_OK;
}

static enum status probe_until_found(struct mpi_endpoint *e, int from, transport_kinds kinds,
                                     struct found *f)
{
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};
    enum status s = probe_once(e, from, kinds, f);

    while (s == STATUS_OK && !f->is_there) {
        mpi_backoff_wait(&backoff);
        s = probe_once(e, from, kinds, f);
    }
    mpi_backoff_end(&backoff);
    return s;
}

/* What has been found is received to the end, also when the run fails: the buffer is borrowed. */
static enum status receive_found(struct mpi_endpoint *e, struct found *f, void *buffer,
                                 size_t bytes)
{
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e, .is_transfer = true};
    const struct mpi_bytes s = mpi_bytes_of(bytes);
    MPI_Request request;
    int done = 0;
    int code = MPI_Imrecv(buffer, s.count, s.type, &f->message, &request);

    mpi_bytes_end(s);
    while (code == MPI_SUCCESS && !done) {
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            mpi_backoff_wait(&backoff);
    }
    mpi_backoff_end(&backoff);
    return mpi_check(code, "MPI_Imrecv");
}

static enum status refuse_large(struct mpi_endpoint *e, struct found *f,
                                const struct envelope *envelope, size_t capacity)
{
    void *lost = mem_alloc((int64_t)envelope->bytes, 1);
    const struct endpoint_name from = transport_name_of(&e->base, envelope->from),
                               to = transport_name_of(&e->base, e->base.rank);
    const enum status s = receive_found(e, f, lost, envelope->bytes);

    mem_free(lost);
    TRY(s);
    return FAIL(STATUS_PEER,
                "a message of %zu bytes from %s is larger than the %zu bytes that %s has room for "
                "(kind %d)",
                envelope->bytes, from.text, capacity, to.text, envelope->kind);
}

/* Into one place, or by way of a buffer into several. */
static enum status receive_parts(struct mpi_endpoint *e, struct found *f,
                                 const struct incoming *parts, int count, size_t bytes)
{
    if (count == 1)
        return receive_found(e, f, parts[0].data, bytes);

    struct send_buffer *p = take_send_buffer(e, bytes);
    const enum status s = receive_found(e, f, p->data, bytes);

    if (s == STATUS_OK)
        transport_spread_parts(parts, count, p->data, bytes);
    p->next = e->spare;
    e->spare = p;
    return s;
}

enum status mpi_recv(struct transport *t, int from, transport_kinds kinds,
                     struct envelope *envelope, const struct incoming *parts, int count)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct found f = {0};
    MPI_Count bytes = 0;

    TRY(probe_until_found(e, from, kinds, &f));
    TRY(mpi_check(MPI_Get_elements_x(&f.status, MPI_BYTE, &bytes), "MPI_Get_elements_x"));

    const int sender = endpoint_of(e->world, f.status.MPI_SOURCE, f.from_server);

    *envelope = (struct envelope){
        .from = sender,
        .kind = f.kind,
        .bytes = (size_t)bytes,
        .sequence = e->received[sender * TRANSPORT_KINDS + f.kind]++,
    };
    if (envelope->bytes > transport_incoming_bytes(parts, count))
        return refuse_large(e, &f, envelope, transport_incoming_bytes(parts, count));
    return receive_parts(e, &f, parts, count, envelope->bytes);
}
