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
#include "comm/mpi/wire.h"

/* A delivery is known to the sender a moment after it happened. */
static const double acknowledgement_s = 0.2;

/* Or a responder: what there is beside the workers. */
static bool is_server(const struct transport *t, int endpoint)
{
    return endpoint >= t->workers;
}

static int process_of(const struct mpi_world *w, int endpoint)
{
    if (endpoint < w->base.workers || w->server == WORLD_SERVER_OWN)
        return endpoint;
    return endpoint - w->base.workers; /* the server is a thread of rank 0 */
}

static int endpoint_of(const struct mpi_world *w, int process, bool is_server)
{
    if (!is_server)
        return process;
    return w->base.workers + (w->server == WORLD_RESPONDERS ? process : 0);
}

static int tag_of(int kind, bool to_server, bool from_server)
{
    return kind * 4 + (to_server ? 2 : 0) + (from_server ? 1 : 0);
}

/* --- sending --- */

static void collect(struct mpi_endpoint *e, struct outbox *o)
{
    for (struct parcel **at = &o->pending; *at != NULL;) {
        struct parcel *p = *at;
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

static struct parcel *parcel_take(struct mpi_endpoint *e, size_t bytes)
{
    struct parcel **at = &e->spare;

    while (*at != NULL && (*at)->capacity < bytes)
        at = &(*at)->next;
    if (*at == NULL)
        at = &e->spare;

    struct parcel *p = *at;

    if (p == NULL)
        p = MEM_NEW(struct parcel);
    else
        *at = p->next;
    if (p->capacity < bytes) {
        mem_free(p->data);
        p->data = mem_alloc((int64_t)bytes, 1);
        p->capacity = bytes;
    }
    return p;
}

static enum status make_room(struct mpi_endpoint *e, int to)
{
    struct outbox *o = &e->outboxes[to];
    const double began = clock_seconds();
    struct patience p = {.world = e->world, .endpoint = e};

    collect(e, o);
    while (o->count == TRANSPORT_PENDING_MAX && clock_seconds() - began < acknowledgement_s &&
           !failure_is_set(&e->world->failure)) {
        patience_wait(&p);
        collect(e, o);
    }
    patience_end(&p);
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    if (o->count < TRANSPORT_PENDING_MAX)
        return STATUS_OK;

    const struct endpoint_name from = transport_name_of(&e->base, e->base.rank),
                               name = transport_name_of(&e->base, to);

    return FAIL(STATUS_PEER, "%s has not received %d messages of %s, and no more may wait",
                name.text, TRANSPORT_PENDING_MAX, from.text);
}

enum status mpi_send(struct transport *t, int to, int kind, const struct outgoing *parts, int count)
{
    const size_t bytes = outgoing_bytes(parts, count);
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct outbox *o = &e->outboxes[to];

    TRY(make_room(e, to));

    struct parcel *p = parcel_take(e, bytes);
    const struct span s = mpi_span(bytes);
    const int tag = tag_of(kind, is_server(t, to), is_server(t, t->rank));

    outgoing_gather(p->data, parts, count);

    const int code = MPI_Issend(p->data, s.count, s.type, process_of(e->world, to), tag,
                                e->world->messages, &p->request);

    mpi_span_end(s);
    p->next = o->pending;
    o->pending = p;
    o->count++;
    /* collect asks for it later. NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker) */
    return mpi_check(code, "MPI_Issend");
}

bool mpi_outboxes_are_empty(struct mpi_endpoint *e)
{
    int left = 0;

    for (int i = 0; i < e->base.size; i++) {
        collect(e, &e->outboxes[i]);
        left += e->outboxes[i].count;
    }
    return left == 0;
}

static void parcels_free(struct parcel *p)
{
    while (p != NULL) {
        struct parcel *next = p->next;

        mem_free(p->data);
        mem_free(p);
        p = next;
    }
}

void mpi_outboxes_release(struct mpi_endpoint *e)
{
    CHECK(mpi_outboxes_are_empty(e));
    parcels_free(e->spare);
    mem_free(e->outboxes);
}

/* --- receiving --- */

/* A message that was found: it is ours alone from here on. */
struct found {
    MPI_Message message;
    MPI_Status status;
    bool from_server;
    int is_there;
};

static enum status look(struct mpi_endpoint *e, int from, int kind, struct found *f)
{
    const bool to_server = is_server(&e->base, e->base.rank);
    const int source = from == TRANSPORT_ANY ? MPI_ANY_SOURCE : process_of(e->world, from);

    return mpi_check(MPI_Improbe(source, tag_of(kind, to_server, f->from_server),
                                 e->world->messages, &f->is_there, &f->message, &f->status),
                     "MPI_Improbe");
}

/* From any: workers and the server have different tags and take turns in being asked first. */
static enum status look_for_any(struct mpi_endpoint *e, int kind, struct found *f)
{
    const bool has_server = e->base.size > e->base.workers;

    f->from_server = has_server && e->asks_server;
    TRY(look(e, TRANSPORT_ANY, kind, f));
    if (!f->is_there && has_server) {
        f->from_server = !f->from_server;
        TRY(look(e, TRANSPORT_ANY, kind, f));
    }
    if (f->is_there)
        e->asks_server = !f->from_server;
    return STATUS_OK;
}

static enum status look_once(struct mpi_endpoint *e, int from, int kind, struct found *f)
{
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    if (from == TRANSPORT_ANY)
        return look_for_any(e, kind, f);
    f->from_server = is_server(&e->base, from);
    return look(e, from, kind, f);
}

static enum status look_until_found(struct mpi_endpoint *e, int from, int kind, struct found *f)
{
    struct patience p = {.world = e->world, .endpoint = e};
    enum status s = look_once(e, from, kind, f);

    while (s == STATUS_OK && !f->is_there) {
        patience_wait(&p);
        s = look_once(e, from, kind, f);
    }
    patience_end(&p);
    return s;
}

/* What has been found is received to the end, also when the run fails: the buffer is borrowed. */
static enum status take(struct mpi_endpoint *e, struct found *f, void *buffer, size_t bytes)
{
    struct patience p = {.world = e->world, .endpoint = e, .is_transfer = true};
    const struct span s = mpi_span(bytes);
    MPI_Request request;
    int done = 0;
    int code = MPI_Imrecv(buffer, s.count, s.type, &f->message, &request);

    mpi_span_end(s);
    while (code == MPI_SUCCESS && !done) {
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            patience_wait(&p);
    }
    patience_end(&p);
    return mpi_check(code, "MPI_Imrecv");
}

static enum status refuse_large(struct mpi_endpoint *e, struct found *f,
                                const struct envelope *envelope, size_t capacity)
{
    void *lost = mem_alloc((int64_t)envelope->bytes, 1);
    const struct endpoint_name from = transport_name_of(&e->base, envelope->from),
                               to = transport_name_of(&e->base, e->base.rank);
    const enum status s = take(e, f, lost, envelope->bytes);

    mem_free(lost);
    TRY(s);
    return FAIL(STATUS_PEER,
                "a message of %zu bytes from %s is larger than the %zu bytes that %s has room for "
                "(kind %d)",
                envelope->bytes, from.text, capacity, to.text, envelope->kind);
}

/* Into one place, or by way of a parcel into several. */
static enum status take_parts(struct mpi_endpoint *e, struct found *f, const struct incoming *parts,
                              int count, size_t bytes)
{
    if (count == 1)
        return take(e, f, parts[0].data, bytes);

    struct parcel *p = parcel_take(e, bytes);
    const enum status s = take(e, f, p->data, bytes);

    if (s == STATUS_OK)
        incoming_spread(parts, count, p->data, bytes);
    p->next = e->spare;
    e->spare = p;
    return s;
}

enum status mpi_recv(struct transport *t, int from, int kind, struct envelope *envelope,
                     const struct incoming *parts, int count)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct found f = {0};
    MPI_Count bytes = 0;

    TRY(look_until_found(e, from, kind, &f));
    TRY(mpi_check(MPI_Get_elements_x(&f.status, MPI_BYTE, &bytes), "MPI_Get_elements_x"));

    const int sender = endpoint_of(e->world, f.status.MPI_SOURCE, f.from_server);

    *envelope = (struct envelope){
        .from = sender,
        .kind = kind,
        .bytes = (size_t)bytes,
        .sequence = e->received[sender * TRANSPORT_KINDS + kind]++,
    };
    if (envelope->bytes > incoming_bytes(parts, count))
        return refuse_large(e, &f, envelope, incoming_bytes(parts, count));
    return take_parts(e, &f, parts, count, envelope->bytes);
}
