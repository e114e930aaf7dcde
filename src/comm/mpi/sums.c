/*
 * sums.c - sums over MPI, in rank order whatever MPI does.
 *
 * Worker j owns chunk j: all send it theirs, it adds them in rank order and sends the sum to all.
 * A small vector goes whole from all to all instead, and each adds it for itself: one exchange, the
 * same additions. One sum is under way at a time and all start the same ones, so two tags suffice.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/team.h"
#include "comm/mpi/internal.h"
#include "comm/sum.h"

enum { TAG_SCATTER = 1, TAG_GATHER = 2 };

/* Below this many bytes at all workers together the second exchange costs more than it saves. */
enum { WHOLE_BYTES_MAX = 16384 };

/* A part of the vector. */
struct part {
    int64_t begin, count;
};

void mpi_sum_init(struct mpi_endpoint *e)
{
    const int64_t workers = e->base.workers;

    e->sum.requests = MEM_NEW_N(MPI_Request, 2 * workers);
    e->sum.expected = MEM_NEW_N(size_t, workers);
    e->sum.inputs = MEM_NEW_N(const void *, workers);
}

void mpi_sum_release(struct mpi_endpoint *e)
{
    mem_free(e->sum.requests);
    mem_free(e->sum.expected);
    mem_free(e->sum.inputs);
    mem_free(e->sum.inbox);
    e->sum = (struct mpi_sum){0};
}

static struct part part_of(const struct mpi_endpoint *e, int owner)
{
    const struct mpi_sum *m = &e->sum;
    int64_t end = 0;
    struct part p = {.count = m->sum.count};

    if (m->is_whole)
        return p;
    team_part(m->sum.count, owner, e->base.workers, &p.begin, &end);
    p.count = end - p.begin;
    return p;
}

static unsigned char *data_at(const struct mpi_endpoint *e, struct part p)
{
    const struct sum *s = &e->sum.sum;

    /* The vector of a barrier is NULL, which nothing may be added to. */
    return s->count == 0 ? NULL
                         : (unsigned char *)s->data + (size_t)p.begin * sum_type_size(s->type);
}

static size_t bytes_of(const struct mpi_endpoint *e, struct part p)
{
    return (size_t)p.count * sum_type_size(e->sum.sum.type);
}

/* --- the exchanges --- */

struct transfer {
    void *data;
    size_t bytes;
    int peer, tag;
};

static enum status start_receive(struct mpi_endpoint *e, struct transfer x)
{
    struct mpi_sum *m = &e->sum;
    const struct mpi_bytes s = mpi_bytes_of(x.bytes);
    const int code =
        MPI_Irecv(x.data, s.count, s.type, x.peer, x.tag, e->world->sums, &m->requests[m->count]);

    mpi_bytes_end(s);
    m->expected[m->count] = x.bytes;
    if (code == MPI_SUCCESS)
        m->count++;
    return mpi_check(code, "MPI_Irecv");
}

static enum status start_send(struct mpi_endpoint *e, struct transfer x)
{
    struct mpi_sum *m = &e->sum;
    const struct mpi_bytes s = mpi_bytes_of(x.bytes);
    const int code =
        MPI_Isend(x.data, s.count, s.type, x.peer, x.tag, e->world->sums, &m->requests[m->count]);

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

static enum status start_scatter(struct mpi_endpoint *e)
{
    struct mpi_sum *m = &e->sum;
    const struct part mine = part_of(e, e->base.rank);
    const size_t piece = bytes_of(e, mine);

    if (m->inbox_bytes < piece * (size_t)(e->base.workers - 1)) {
        m->inbox_bytes = piece * (size_t)(e->base.workers - 1);
        mem_free(m->inbox);
        m->inbox = mem_alloc((int64_t)m->inbox_bytes, 1);
    }
    m->phase = SUM_SCATTER;
    for (int k = 1; k < e->base.workers; k++) {
        const int r = other_rank(e, k);
        unsigned char *room = m->inbox == NULL ? NULL : m->inbox + piece * (size_t)(k - 1);

        m->inputs[r] = room;
        TRY(start_receive(e, (struct transfer){room, piece, r, TAG_SCATTER}));
    }
    m->inputs[e->base.rank] = data_at(e, mine);
    for (int k = 1; k < e->base.workers; k++) {
        const int r = other_rank(e, k);
        const struct part p = part_of(e, r);

        TRY(start_send(e, (struct transfer){data_at(e, p), bytes_of(e, p), r, TAG_SCATTER}));
    }
    return STATUS_OK;
}

static enum status start_gather(struct mpi_endpoint *e)
{
    const struct part mine = part_of(e, e->base.rank);

    e->sum.phase = SUM_GATHER;
    for (int k = 1; k < e->base.workers; k++) {
        const int r = other_rank(e, k);
        const struct part p = part_of(e, r);

        TRY(start_receive(e, (struct transfer){data_at(e, p), bytes_of(e, p), r, TAG_GATHER}));
    }
    for (int k = 1; k < e->base.workers; k++)
        TRY(start_send(e, (struct transfer){data_at(e, mine), bytes_of(e, mine), other_rank(e, k),
                                            TAG_GATHER}));
    return STATUS_OK;
}

static void add_chunk(struct mpi_endpoint *e)
{
    const struct part mine = part_of(e, e->base.rank);
    void *out = data_at(e, mine);
    const struct reduction r = {
        .type = e->sum.sum.type,
        .inputs = e->base.workers,
        .outputs = 1,
        .in = e->sum.inputs,
        .out = &out,
        .end = mine.count,
    };

    sum_in_order(&r);
}

/* --- the phases --- */

/* Asks whether all requests are complete, and checks that each worker sent what it must. */
static enum status test_requests(struct mpi_endpoint *e, bool *done)
{
    struct mpi_sum *m = &e->sum;

    *done = false;
    while (m->count > 0) {
        MPI_Status status;
        MPI_Count bytes = 0;
        int complete = 0;
        const int last = m->count - 1;

        TRY(mpi_check(MPI_Test(&m->requests[last], &complete, &status),
                      "a sum (are the workers out of step?)"));
        if (!complete)
            return STATUS_OK;
        m->count--;
        if (last >= e->base.workers - 1) /* a send */
            continue;
        MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
        if ((size_t)bytes != m->expected[last])
            return FAIL(STATUS_PEER,
                        "worker %d sums %zu bytes where worker %d sends %lld: they are out of step",
                        e->base.rank, m->expected[last], status.MPI_SOURCE, (long long)bytes);
    }
    *done = true;
    return STATUS_OK;
}

static enum status finish_phase(struct mpi_endpoint *e)
{
    struct mpi_sum *m = &e->sum;

    if (m->phase == SUM_SCATTER) {
        const double began = clock_seconds();

        add_chunk(e);
        m->adding += clock_seconds() - began;
        if (!m->is_whole)
            return start_gather(e);
    }
    m->phase = SUM_NONE;
    return STATUS_OK;
}

/*
 * The vector is borrowed: receives are cancelled, and sends are waited for. The failure threads of
 * the others take what nobody receives any more, or end everything.
 */
static void cancel_requests(struct mpi_endpoint *e)
{
    struct mpi_sum *m = &e->sum;
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};
    int done = 0;

    for (int i = 0; i < m->count && i < e->base.workers - 1; i++)
        if (m->requests[i] != MPI_REQUEST_NULL) /* one that failed is gone */
            MPI_Cancel(&m->requests[i]);
    while (!done && MPI_Testall(m->count, m->requests, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
        if (!done)
            mpi_backoff_wait(&backoff);
    mpi_backoff_end(&backoff);
    m->count = 0;
    m->phase = SUM_NONE;
}

/* One step without waiting. */
static enum status advance(struct mpi_endpoint *e, bool *done)
{
    *done = e->sum.phase == SUM_NONE;
    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    while (!*done) {
        bool complete = false;

        TRY(test_requests(e, &complete));
        if (!complete)
            return STATUS_OK;
        TRY(finish_phase(e));
        *done = e->sum.phase == SUM_NONE;
    }
    return STATUS_OK;
}

/* A failure of our own leaves the others waiting: they must know before we wait for our sends. */
static enum status end_if_failed(struct mpi_endpoint *e, enum status s)
{
    if (s == STATUS_OK)
        return s;
    failure_thread_report(e->world, s, status_message());
    cancel_requests(e);
    return s;
}

enum status mpi_sum_start(struct transport *t, const struct sum *s)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    const size_t bytes = (size_t)s->count * sum_type_size(s->type);

    if (failure_is_set(&e->world->failure))
        return failure_answer(&e->world->failure);
    if (t->workers == 1)
        return STATUS_OK;
    e->sum.sum = *s;
    e->sum.count = 0;
    e->sum.is_whole = bytes * (size_t)t->workers <= WHOLE_BYTES_MAX;
    return end_if_failed(e, start_scatter(e));
}

enum status mpi_sum_poll(struct transport *t, bool *done)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;

    return end_if_failed(e, advance(e, done));
}

enum status mpi_sum_wait(struct transport *t)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};
    bool done = false;
    enum status s = advance(e, &done);

    const double added = e->sum.adding;

    while (s == STATUS_OK && !done) {
        mpi_backoff_wait(&backoff);
        s = advance(e, &done);
    }
    backoff.busy = e->sum.adding - added;
    mpi_backoff_end(&backoff);
    return end_if_failed(e, s);
}
