/*
 * process_sums.c - sums of workers of which several are in a process, in rank order.
 *
 * When all workers of a process have posted their vectors, whoever polls or waits moves the sum on.
 * A large vector goes in chunks from process to process (chunk_sums.c). A small one goes from each
 * process to all, with those of all its workers side by side, and each process adds it for itself.
 *
 * Not here: sums where every process has one worker (sums.c).
 */
#include "comm/mpi/process_sums.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum { WHOLE_BYTES_MAX = 16384 };

/* --- memory --- */

void process_sums_init(struct mpi_world *w)
{
    struct process_sums *p = MEM_NEW(struct process_sums);

    p->process = w->base.process;
    p->last = mpi_worker_processes(&w->base) - 1;
    p->own = mpi_workers_of(&w->base, p->process);
    p->first = mpi_first_worker(&w->base, p->process);
    pthread_mutex_init(&p->mutex, NULL);
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++) {
        p->ring[i].posted = MEM_NEW_N(struct sum, p->own);
        p->ring[i].requests = MEM_NEW_N(MPI_Request, 2 * w->base.processes);
    }
    w->process_sums = p;
}

void process_sums_release(struct mpi_world *w)
{
    struct process_sums *p = w->process_sums;

    if (p == NULL)
        return;
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++) {
        mem_free(p->ring[i].posted);
        mem_free(p->ring[i].requests);
        mem_free(p->ring[i].chunks);
    }
    sum_buffers_release(p->buffers, TRANSPORT_SUMS_MAX);
    pthread_mutex_destroy(&p->mutex);
    mem_free(p);
}

size_t process_sum_bytes(const struct process_sum *x)
{
    return (size_t)x->posted[0].count * sum_type_size(x->posted[0].type);
}

struct sum_buffer *process_sum_take_buffer(struct process_sums *p, size_t bytes)
{
    return sum_buffer_take(p->buffers, TRANSPORT_SUMS_MAX, bytes > 0 ? bytes : 1);
}

void process_sum_give_buffer(struct sum_buffer **buffer)
{
    if (*buffer != NULL)
        (*buffer)->is_used = false;
    *buffer = NULL;
}

/* --- messages --- */

enum status process_sum_receive(struct mpi_world *w, struct transfer x, MPI_Request *request)
{
    const struct mpi_bytes s = mpi_bytes_of(x.bytes);
    const int code = MPI_Irecv(x.data, s.count, s.type, x.peer, x.tag, w->sums, request);

    mpi_bytes_end(s);
    return mpi_check(code, "MPI_Irecv");
}

enum status process_sum_send(struct mpi_world *w, struct transfer x, MPI_Request *request)
{
    const struct mpi_bytes s = mpi_bytes_of(x.bytes);
    const int code = MPI_Isend(x.data, s.count, s.type, x.peer, x.tag, w->sums, request);

    mpi_bytes_end(s);
    return mpi_check(code, "MPI_Isend");
}

static enum status refuse_mismatch(const struct mpi_world *w, const struct process_sum *x,
                                   int other, const char *sends)
{
    return FAIL(STATUS_PEER,
                "worker %d sums %lld %s while worker %d sums %s bytes: they are out of step",
                w->process_sums->first, (long long)x->posted[0].count,
                sum_type_noun(x->posted[0].type), other, sends);
}

/* Whether a message of so many bytes has come. */
enum status process_sum_test(struct mpi_world *w, const struct process_sum *x, int peer,
                             size_t bytes, MPI_Request *request, bool *done)
{
    const int other = mpi_first_worker(&w->base, peer);
    int complete = 0, class = MPI_SUCCESS;
    MPI_Status status;
    MPI_Count count = 0;
    const int code = MPI_Test(request, &complete, &status);

    *done = complete;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    if (class == MPI_ERR_TRUNCATE)
        return refuse_mismatch(w, x, other, "more");
    TRY(mpi_check(code, "a sum"));
    if (!complete)
        return STATUS_OK;
    MPI_Get_elements_x(&status, MPI_BYTE, &count);
    return (size_t)count < bytes ? refuse_mismatch(w, x, other, "fewer") : STATUS_OK;
}

/* --- a whole vector --- */

static enum status start_whole(struct mpi_world *w, struct process_sum *x, int tag)
{
    struct process_sums *p = w->process_sums;
    const size_t bytes = process_sum_bytes(x);

    x->vectors = process_sum_take_buffer(p, bytes * (size_t)w->base.workers);

    unsigned char *all = x->vectors->data, *own = all + bytes * (size_t)p->first;

    for (int k = 0; k < p->own && bytes > 0; k++)
        memcpy(own + bytes * (size_t)k, x->posted[k].data, bytes);
    for (int q = 0; q <= p->last; q++)
        x->requests[2 * q] = x->requests[2 * q + 1] = MPI_REQUEST_NULL;
    for (int q = 0; q <= p->last; q++) {
        const size_t first = (size_t)mpi_first_worker(&w->base, q);
        const size_t workers = (size_t)mpi_workers_of(&w->base, q);

        if (q == p->process)
            continue;
        TRY(process_sum_receive(w, (struct transfer){all + bytes * first, bytes * workers, q, tag},
                                &x->requests[2 * q]));
        TRY(process_sum_send(w, (struct transfer){own, bytes * (size_t)p->own, q, tag},
                             &x->requests[2 * q + 1]));
    }
    return STATUS_OK;
}

static void add_whole(struct mpi_world *w, struct process_sum *x)
{
    const struct process_sums *p = w->process_sums;
    const size_t bytes = process_sum_bytes(x);
    const int workers = w->base.workers;
    const void **inputs = MEM_NEW_N(const void *, workers);
    void **outputs = MEM_NEW_N(void *, p->own);
    const struct reduction r = {
        .type = x->posted[0].type,
        .inputs = workers,
        .outputs = p->own,
        .in = inputs,
        .out = outputs,
        .end = x->posted[0].count,
    };

    for (int i = 0; i < workers; i++)
        inputs[i] = (unsigned char *)x->vectors->data + bytes * (size_t)i;
    for (int k = 0; k < p->own; k++)
        outputs[k] = x->posted[k].data;
    sum_in_order(&r);
    mem_free(inputs);
    mem_free(outputs);
}

static enum status advance_whole(struct mpi_world *w, struct process_sum *x, bool *done)
{
    const struct process_sums *p = w->process_sums;
    const size_t bytes = process_sum_bytes(x);

    *done = false;
    for (int q = 0; q <= p->last; q++) {
        bool is_here = true;
        int is_sent = 1;

        if (x->requests[2 * q] != MPI_REQUEST_NULL)
            TRY(process_sum_test(w, x, q, bytes * (size_t)mpi_workers_of(&w->base, q),
                                 &x->requests[2 * q], &is_here));
        if (x->requests[2 * q + 1] != MPI_REQUEST_NULL)
            TRY(mpi_check(MPI_Test(&x->requests[2 * q + 1], &is_sent, MPI_STATUS_IGNORE), "a sum"));
        if (!is_here || !is_sent)
            return STATUS_OK;
    }
    add_whole(w, x);
    process_sum_give_buffer(&x->vectors);
    *done = true;
    return STATUS_OK;
}

/* --- sums --- */

/* With the inboxes' lock instead of this one. */
static void wake_workers(struct mpi_world *w)
{
    pthread_mutex_lock(&w->inbox_mutex);
    for (int k = 0; k < w->process_sums->own; k++)
        mpi_wake((struct mpi_endpoint *)w->endpoints[k]);
    pthread_mutex_unlock(&w->inbox_mutex);
}

static enum status advance_sum(struct mpi_endpoint *e, struct process_sum *x)
{
    bool done = false;

    if (!x->is_running)
        return STATUS_OK;
    TRY(x->is_whole ? advance_whole(e->world, x, &done) : chunk_sum_advance(e, x, &done));
    if (!done)
        return STATUS_OK;
    x->is_running = false;
    x->posted_count = 0;
    x->completed++;
    wake_workers(e->world);
    return STATUS_OK;
}

static enum status check_posted(const struct process_sums *p, const struct process_sum *x)
{
    for (int k = 1; k < p->own; k++)
        if (x->posted[k].count != x->posted[0].count || x->posted[k].type != x->posted[0].type)
            return FAIL(STATUS_PEER,
                        "worker %d sums %lld %s while worker %d sums %lld %s: they are out of step",
                        p->first, (long long)x->posted[0].count, sum_type_noun(x->posted[0].type),
                        p->first + k, (long long)x->posted[k].count,
                        sum_type_noun(x->posted[k].type));
    return STATUS_OK;
}

/* When the last worker here has posted its vector. */
static enum status begin_sum(struct mpi_world *w, struct process_sum *x)
{
    struct process_sums *p = w->process_sums;

    TRY(check_posted(p, x));
    x->is_whole = process_sum_bytes(x) * (size_t)w->base.workers <= WHOLE_BYTES_MAX;
    x->is_running = true;
    return x->is_whole ? start_whole(w, x, (int)(x - p->ring) * 2) : chunk_sum_start(w, x);
}

/* --- failure --- */

void process_sum_cancel(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL)
        MPI_Cancel(request);
}

/* The vectors are borrowed: receives are cancelled, and sends are waited for. The failure threads
 * of the others take what nobody receives any more, or end everything. */
void process_sum_wait_for(struct mpi_world *w, MPI_Request *requests, int count)
{
    struct mpi_backoff backoff = {.world = w};
    int done = 0;

    while (MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !done)
        mpi_backoff_wait(&backoff);
}

static void cancel_sum(struct mpi_world *w, struct process_sum *x)
{
    const int last = w->process_sums->last;

    if (!x->is_running)
        return;
    for (int q = 0; x->is_whole && q <= last; q++)
        process_sum_cancel(&x->requests[2 * q]);
    if (x->is_whole)
        process_sum_wait_for(w, x->requests, 2 * (last + 1));
    if (!x->is_whole)
        chunk_sum_cancel(w, x);
    x->is_running = false;
    process_sum_give_buffer(&x->partial);
    process_sum_give_buffer(&x->vectors);
}

/* With the lock held. The first that leaves cancels everything, when nobody uses a vector. */
static void cancel_all(struct mpi_world *w)
{
    struct process_sums *p = w->process_sums;

    while (p->busy > 0) {
        pthread_mutex_unlock(&p->mutex);
        sched_yield();
        pthread_mutex_lock(&p->mutex);
    }
    if (p->is_cancelled)
        return;
    p->is_cancelled = true;
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
        cancel_sum(w, &p->ring[i]);
}

/* With the lock held. A failure of our own leaves the others waiting: they must know first. */
static enum status end_if_failed(struct mpi_world *w, enum status s)
{
    if (s == STATUS_OK && !failure_is_set(&w->failure))
        return s;
    if (s != STATUS_OK)
        failure_thread_report(w, s, status_message());
    cancel_all(w);
    return s != STATUS_OK ? s : failure_answer(&w->failure);
}

/* --- the transport --- */

static enum status advance_all(struct mpi_endpoint *e, sum_ticket ticket, bool *done)
{
    struct mpi_world *w = e->world;
    struct process_sums *p = w->process_sums;
    const struct process_sum *x = &p->ring[ticket % TRANSPORT_SUMS_MAX];
    enum status s = STATUS_OK;

    pthread_mutex_lock(&p->mutex);
    for (int i = 0; i < TRANSPORT_SUMS_MAX && s == STATUS_OK && !failure_is_set(&w->failure); i++)
        s = advance_sum(e, &p->ring[i]);
    *done = x->completed > ticket / TRANSPORT_SUMS_MAX;
    if (s != STATUS_OK || !*done)
        s = end_if_failed(w, s);
    pthread_mutex_unlock(&p->mutex);
    return s;
}

enum status process_sum_start(struct transport *t, const struct sum *s, sum_ticket ticket)
{
    struct mpi_world *w = ((struct mpi_endpoint *)t)->world;
    struct process_sums *p = w->process_sums;
    struct process_sum *x = &p->ring[ticket % TRANSPORT_SUMS_MAX];
    enum status status = STATUS_OK;

    pthread_mutex_lock(&p->mutex);
    if (!failure_is_set(&w->failure)) {
        x->posted[t->rank - p->first] = *s;
        if (++x->posted_count == p->own)
            status = begin_sum(w, x);
    }
    status = end_if_failed(w, status);
    pthread_mutex_unlock(&p->mutex);
    return status;
}

enum status process_sum_poll(struct transport *t, sum_ticket ticket, bool *done)
{
    return advance_all((struct mpi_endpoint *)t, ticket, done);
}

enum status process_sum_wait(struct transport *t, sum_ticket ticket)
{
    struct mpi_endpoint *e = (struct mpi_endpoint *)t;
    struct mpi_backoff backoff = {.world = e->world, .endpoint = e};
    bool done = false;
    enum status s = advance_all(e, ticket, &done);
    const double added = e->sums.adding;

    while (s == STATUS_OK && !done) {
        mpi_backoff_wait(&backoff);
        s = advance_all(e, ticket, &done);
    }
    backoff.busy = e->sums.adding - added;
    mpi_backoff_end(&backoff);
    return s;
}
