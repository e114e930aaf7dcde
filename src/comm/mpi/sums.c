/*
 * sums.c - sums over MPI, in rank order whatever MPI does.
 *
 * Worker j owns chunk j: all send it theirs, it adds them in rank order and sends the sum to all.
 * A small vector goes whole from all to all instead, and each adds it for itself: one exchange, the
 * same additions.
 *
 * A sum has the tags of its place in the ring. The sum that had the place before was waited for
 * when this one starts, and all start the same ones, so that messages of both are received in
 * their order. Whoever polls or waits moves all its sums on, because others may wait for them.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/team.h"
#include "comm/mpi/internal.h"

/* Below this many bytes at all workers together the second exchange costs more than it saves. */
enum { WHOLE_BYTES_MAX = 16384 };

/* A part of the vector. */
struct part {
    int64_t begin, count;
};

void mpi_sums_init(struct mpi_endpoint *e)
{
    const int64_t workers = e->base.workers;

    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++) {
        e->sums.ring[i].requests = MEM_NEW_N(MPI_Request, 2 * workers);
        e->sums.ring[i].expected = MEM_NEW_N(size_t, workers);
        e->sums.ring[i].inputs = MEM_NEW_N(const void *, workers);
    }
}

void mpi_sums_release(struct mpi_endpoint *e)
{
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++) {
        mem_free(e->sums.ring[i].requests);
        mem_free(e->sums.ring[i].expected);
        mem_free(e->sums.ring[i].inputs);
    }
    sum_buffers_release(e->sums.inboxes, TRANSPORT_SUMS_MAX);
}

static struct part part_of(const struct mpi_endpoint *e, const struct mpi_sum *m, int owner)
{
    int64_t end = 0;
    struct part p = {.count = m->sum.count};

    if (m->is_whole)
        return p;
    team_part(m->sum.count, owner, e->base.workers, &p.begin, &end);
    p.count = end - p.begin;
    return p;
}

static unsigned char *data_at(const struct mpi_sum *m, struct part p)
{
    const struct sum *s = &m->sum;

    /* The vector of a barrier is NULL, which nothing may be added to. */
    return s->count == 0 ? NULL
                         : (unsigned char *)s->data + (size_t)p.begin * sum_type_size(s->type);
}

static size_t bytes_of(const struct mpi_sum *m, struct part p)
{
    return (size_t)p.count * sum_type_size(m->sum.type);
}

/* --- the exchanges --- */

struct transfer {
    void *data;
    size_t bytes;
    int peer;
};

static int tag_of(const struct mpi_endpoint *e, const struct mpi_sum *m)
{
    return 2 * (int)(m - e->sums.ring) + (m->phase == SUM_GATHER ? 1 : 0);
}

static enum status start_receive(struct mpi_endpoint *e, struct mpi_sum *m, struct transfer x)
{
    const struct mpi_bytes s = mpi_bytes_of(x.bytes);
    const int code = MPI_Irecv(x.data, s.count, s.type, x.peer, tag_of(e, m), e->world->sums,
                               &m->requests[m->count]);

    mpi_bytes_end(s);
    m->expected[m->count] = x.bytes;
    if (code == MPI_SUCCESS)
        m->count++;
    return mpi_check(code, "MPI_Irecv");
}

static enum status start_send(struct mpi_endpoint *e, struct mpi_sum *m, struct transfer x)
{
    const struct mpi_bytes s = mpi_bytes_of(x.bytes);
    const int code = MPI_Isend(x.data, s.count, s.type, x.peer, tag_of(e, m), e->world->sums,
                               &m->requests[m->count]);

    mpi_bytes_end(s);
    if (code == MPI_SUCCESS)
        m->count++;
    return mpi_check(code, "MPI_Isend");
}

/* The k-th of the others, beginning with the next one, so that not all send to the same. */
static int other_rank(const struct mpi_endpoint *e, int k)
{
    return (e->base.rank + k) % e->base.workers;
}

static enum status start_scatter(struct mpi_endpoint *e, struct mpi_sum *m)
{
    const struct part mine = part_of(e, m, e->base.rank);
    const size_t piece = bytes_of(m, mine);

    m->inbox =
        sum_buffer_take(e->sums.inboxes, TRANSPORT_SUMS_MAX, piece * (size_t)(e->base.workers - 1));
    m->phase = SUM_SCATTER;
    for (int k = 1; k < e->base.workers; k++) {
        const int r = other_rank(e, k);
        unsigned char *room =
            piece == 0 ? NULL : (unsigned char *)m->inbox->data + piece * (size_t)(k - 1);

        m->inputs[r] = room;
        TRY(start_receive(e, m, (struct transfer){room, piece, r}));
    }
    m->inputs[e->base.rank] = data_at(m, mine);
    for (int k = 1; k < e->base.workers; k++) {
        const int r = other_rank(e, k);
        const struct part p = part_of(e, m, r);

        TRY(start_send(e, m, (struct transfer){data_at(m, p), bytes_of(m, p), r}));
    }
    return STATUS_OK;
}

static enum status start_gather(struct mpi_endpoint *e, struct mpi_sum *m)
{
    const struct part mine = part_of(e, m, e->base.rank);

    m->phase = SUM_GATHER;
    for (int k = 1; k < e->base.workers; k++) {
        const int r = other_rank(e, k);
        const struct part p = part_of(e, m, r);

        TRY(start_receive(e, m, (struct transfer){data_at(m, p), bytes_of(m, p), r}));
    }
    for (int k = 1; k < e->base.workers; k++)
        TRY(start_send(e, m,
                       (struct transfer){data_at(m, mine), bytes_of(m, mine), other_rank(e, k)}));
    return STATUS_OK;
}

static void add_chunk(struct mpi_endpoint *e, struct mpi_sum *m)
{
    const double began = clock_seconds();
    const struct part mine = part_of(e, m, e->base.rank);
    void *out = data_at(m, mine);
    const struct reduction r = {
        .type = m->sum.type,
        .inputs = e->base.workers,
        .outputs = 1,
        .in = m->inputs,
        .out = &out,
        .end = mine.count,
    };

    sum_in_order(&r);
    e->sums.adding += clock_seconds() - began;
}

/* --- the phases --- */

static bool is_truncated(int code)
{
    int class = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class == MPI_ERR_TRUNCATE;
}

static enum status refuse_mismatch(const struct mpi_endpoint *e, const struct mpi_sum *m,
                                   int receive, const char *sends)
{
    return FAIL(STATUS_PEER,
                "worker %d sums %lld %s while worker %d sums %s bytes: they are out of step",
                e->base.rank, (long long)m->sum.count, sum_type_noun(m->sum.type),
                other_rank(e, receive + 1), sends);
}

/* Asks whether all requests are complete, and checks that each worker sent what it must. */
static enum status test_requests(struct mpi_endpoint *e, struct mpi_sum *m, bool *done)
{
    *done = false;
    while (m->count > 0) {
        MPI_Status status;
        MPI_Count bytes = 0;
        int complete = 0;
        const int last = m->count - 1;

        const bool is_send = last >= e->base.workers - 1;
        const int code = MPI_Test(&m->requests[last], &complete, &status);

        if (!is_send && is_truncated(code))
            return refuse_mismatch(e, m, last, "more");
        TRY(mpi_check(code, "a sum"));
        if (!complete)
            return STATUS_OK;
        m->count--;
        if (is_send)
            continue;
        MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
        if ((size_t)bytes < m->expected[last])
            return refuse_mismatch(e, m, last, "fewer");
    }
    *done = true;
    return STATUS_OK;
}

static void give_inbox_back(struct mpi_sum *m)
{
    if (m->inbox != NULL)
        m->inbox->is_used = false;
    m->inbox = NULL;
}

static enum status finish_phase(struct mpi_endpoint *e, struct mpi_sum *m)
{
    if (m->phase == SUM_SCATTER) {
        add_chunk(e, m);
        give_inbox_back(m);
        if (!m->is_whole)
            return start_gather(e, m);
    }
    m->phase = SUM_NONE;
    return STATUS_OK;
}

/*
 * The vectors are borrowed: receives are cancelled, and sends are waited for. The failure threads
 * of the others take what nobody receives any more, or end everything.
 */
static void cancel_requests(struct mpi_endpoint *e, struct mpi_sum *m)
{
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};
    int done = 0;

    for (int i = 0; i < m->count && i < e->base.workers - 1; i++)
        if (m->requests[i] != MPI_REQUEST_NULL) /* one that failed is gone */
            MPI_Cancel(&m->requests[i]);
    while (!done && MPI_Testall(m->count, m->requests, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
        if (!done)
            mpi_backoff_wait(&backoff);
    mpi_backoff_end(&backoff);
    give_inbox_back(m);
    m->count = 0;
    m->phase = SUM_NONE;
}

static enum status advance_one(struct mpi_endpoint *e, struct mpi_sum *m)
{
    while (m->phase != SUM_NONE) {
        bool complete = false;

        TRY(test_requests(e, m, &complete));
        if (!complete)
            return STATUS_OK;
        TRY(finish_phase(e, m));
    }
    return STATUS_OK;
}

/* One step of all sums without waiting; *done is about the one with the ticket. */
static enum status advance(struct mpi_endpoint *e, sum_ticket ticket, bool *done)
{
    struct mpi_sum *ring = e->sums.ring;

    *done = false;
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
        TRY(advance_one(e, &ring[i]));
    *done = ring[ticket % TRANSPORT_SUMS_MAX].phase == SUM_NONE;
    return STATUS_OK;
}

/* A failure of our own leaves the others waiting: they must know before we wait for our sends. */
static enum status end_if_failed(struct mpi_endpoint *e, enum status s)
{
    if (s == STATUS_OK)
        return s;
    failure_thread_report(e->world, s, status_message());
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
        cancel_requests(e, &e->sums.ring[i]);
    return s;
}

enum status mpi_sum_start(struct transport *t, const struct sum *s, sum_ticket ticket)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct mpi_sum *m = &e->sums.ring[ticket % TRANSPORT_SUMS_MAX];
    const size_t bytes = (size_t)s->count * sum_type_size(s->type);

    if (failure_is_set(&e->world->failure))
        return end_if_failed(e, failure_answer(&e->world->failure));
    if (t->workers == 1)
        return STATUS_OK;
    m->sum = *s;
    m->count = 0;
    m->is_whole = bytes * (size_t)t->workers <= WHOLE_BYTES_MAX;
    return end_if_failed(e, start_scatter(e, m));
}

enum status mpi_sum_poll(struct transport *t, sum_ticket ticket, bool *done)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;

    return end_if_failed(e, advance(e, ticket, done));
}

enum status mpi_sum_wait(struct transport *t, sum_ticket ticket)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};
    bool done = false;
    enum status s = advance(e, ticket, &done);

    const double added = e->sums.adding;

    while (s == STATUS_OK && !done) {
        mpi_backoff_wait(&backoff);
        s = advance(e, ticket, &done);
    }
    backoff.busy = e->sums.adding - added;
    mpi_backoff_end(&backoff);
    return end_if_failed(e, s);
}
