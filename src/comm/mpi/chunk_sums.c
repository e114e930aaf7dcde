/*
 * chunk_sums.c - a sum of large vectors, in chunks along the processes: the first one adds its
 * workers' chunks in rank order and sends the sum to the next, which adds its own workers' to it,
 * and so on; the last one has the sum, which goes back the same way.
 *
 * So every element is added in rank order, as in one process, and every process sends a vector
 * twice, however many workers it has. Chunks follow one another, and each is added by whichever
 * worker of the process waits.
 *
 * The last chunk is always shorter than the others, perhaps empty: workers that sum vectors of
 * different sizes differ in the size of some chunk, and find it out.
 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "comm/mpi/process_sums.h"

enum { CHUNK_BYTES = 1 << 18 };

static size_t chunk_offset(int64_t c)
{
    return (size_t)c * CHUNK_BYTES;
}

static size_t chunk_bytes(const struct process_sum *x, int64_t c)
{
    return c < x->chunk_count - 1 ? CHUNK_BYTES : process_sum_bytes(x) - chunk_offset(c);
}

static struct transfer chunk_transfer(const struct process_sums *p, const struct process_sum *x,
                                      int64_t c, int direction)
{
    const bool is_down = direction == DOWN_IN || direction == DOWN_OUT;
    const bool is_next = direction == UP_OUT || direction == DOWN_IN;
    void *data = is_down ? x->posted[0].data : x->partial->data;

    return (struct transfer){
        .data = (unsigned char *)data + chunk_offset(c),
        .bytes = chunk_bytes(x, c),
        .peer = p->process + (is_next ? 1 : -1),
        .tag = (int)((c * TRANSPORT_SUMS_MAX + (x - p->ring)) * 2 + is_down),
    };
}

enum status chunk_sum_start(struct mpi_world *w, struct process_sum *x)
{
    struct process_sums *p = w->process_sums;

    x->first_open = 0;
    x->chunk_count = (int64_t)(process_sum_bytes(x) / CHUNK_BYTES) + 1;
    if (x->chunk_count > x->chunk_capacity) {
        x->chunks = mem_resize(x->chunks, x->chunk_capacity, x->chunk_count, sizeof *x->chunks);
        x->chunk_capacity = x->chunk_count;
    }
    if (p->process < p->last || p->process > 0)
        x->partial = process_sum_take_buffer(p, process_sum_bytes(x));
    for (int64_t c = 0; c < x->chunk_count; c++) {
        x->chunks[c].state = CHUNK_OPEN;
        for (int d = 0; d < DIRECTIONS; d++)
            x->chunks[c].requests[d] = MPI_REQUEST_NULL;
    }
    for (int64_t c = 0; c < x->chunk_count && p->process > 0; c++)
        TRY(process_sum_receive(w, chunk_transfer(p, x, c, UP_IN), &x->chunks[c].requests[UP_IN]));
    return STATUS_OK;
}

/* The sum so far and this process's workers, to where it is sent from, or to all in the last one.
 * Without the lock. */
static void add_chunk(const struct process_sums *p, struct process_sum *x, int64_t c)
{
    const size_t offset = chunk_offset(c);
    const bool is_last = p->process == p->last;
    const int before = p->process > 0 ? 1 : 0;
    const void **inputs = MEM_NEW_N(const void *, p->own + 1);
    void **outputs = MEM_NEW_N(void *, p->own);
    const struct reduction r = {
        .type = x->posted[0].type,
        .inputs = p->own + before,
        .outputs = is_last ? p->own : 1,
        .in = inputs,
        .out = outputs,
        .end = (int64_t)(chunk_bytes(x, c) / sum_type_size(x->posted[0].type)),
    };

    if (before == 1)
        inputs[0] = (unsigned char *)x->partial->data + offset;
    for (int k = 0; k < p->own; k++) {
        inputs[before + k] = (unsigned char *)x->posted[k].data + offset;
        outputs[k] = (unsigned char *)x->posted[k].data + offset;
    }
    if (!is_last)
        outputs[0] = (unsigned char *)x->partial->data + offset;
    sum_in_order(&r);
    mem_free(inputs);
    mem_free(outputs);
}

/* From the first worker, which has received it, to the others. Without the lock. */
static void copy_chunk(const struct process_sums *p, struct process_sum *x, int64_t c)
{
    const size_t offset = chunk_offset(c), bytes = chunk_bytes(x, c);

    for (int k = 1; k < p->own && bytes > 0; k++)
        memcpy((unsigned char *)x->posted[k].data + offset,
               (unsigned char *)x->posted[0].data + offset, bytes);
}

static enum status send_down(struct mpi_world *w, struct process_sum *x, int64_t c)
{
    const struct process_sums *p = w->process_sums;

    x->chunks[c].state = CHUNK_DONE;
    if (p->process == 0)
        return STATUS_OK;
    return process_sum_send(w, chunk_transfer(p, x, c, DOWN_OUT), &x->chunks[c].requests[DOWN_OUT]);
}

static enum status send_up(struct mpi_world *w, struct process_sum *x, int64_t c)
{
    const struct process_sums *p = w->process_sums;
    MPI_Request *requests = x->chunks[c].requests;

    x->chunks[c].state = CHUNK_SENT;
    TRY(process_sum_receive(w, chunk_transfer(p, x, c, DOWN_IN), &requests[DOWN_IN]));
    return process_sum_send(w, chunk_transfer(p, x, c, UP_OUT), &requests[UP_OUT]);
}

typedef void chunk_work(const struct process_sums *p, struct process_sum *x, int64_t c);

static void work_unlocked(struct mpi_endpoint *e, struct process_sum *x, int64_t c,
                          chunk_work *work)
{
    struct process_sums *p = e->world->process_sums;
    const double began = clock_seconds();

    p->busy++;
    pthread_mutex_unlock(&p->mutex);
    work(p, x, c);
    e->sums.adding += clock_seconds() - began;
    pthread_mutex_lock(&p->mutex);
    p->busy--;
}

/* *done: it has come, and was added and sent on; perhaps the lock was given up. */
static enum status add_next(struct mpi_endpoint *e, struct process_sum *x, int64_t c, bool *done)
{
    struct mpi_world *w = e->world;
    const struct process_sums *p = w->process_sums;
    struct chunk *chunk = &x->chunks[c];

    *done = p->process == 0;
    if (p->process > 0)
        TRY(process_sum_test(w, x, p->process - 1, chunk_bytes(x, c), &chunk->requests[UP_IN],
                             done));
    if (!*done)
        return STATUS_OK;
    chunk->state = CHUNK_ADDING;
    work_unlocked(e, x, c, add_chunk);
    return p->process == p->last ? send_down(w, x, c) : send_up(w, x, c);
}

/* The same of a chunk of the whole sum, which comes back. */
static enum status copy_next(struct mpi_endpoint *e, struct process_sum *x, int64_t c, bool *done)
{
    struct mpi_world *w = e->world;
    struct chunk *chunk = &x->chunks[c];

    TRY(process_sum_test(w, x, w->process_sums->process + 1, chunk_bytes(x, c),
                         &chunk->requests[DOWN_IN], done));
    if (!*done)
        return STATUS_OK;
    chunk->state = CHUNK_COPYING;
    work_unlocked(e, x, c, copy_chunk);
    return send_down(w, x, c);
}

/* Whether a chunk is over here, also for MPI. */
static bool chunk_is_over(struct chunk *chunk)
{
    int up = 1, down = 1;

    if (chunk->state != CHUNK_DONE)
        return false;
    MPI_Test(&chunk->requests[UP_OUT], &up, MPI_STATUS_IGNORE);
    MPI_Test(&chunk->requests[DOWN_OUT], &down, MPI_STATUS_IGNORE);
    return up && down;
}

/* Chunks of this state, from the first on, as far as they have come; those that other workers are
 * at are left to them. */
static enum status advance_all(struct mpi_endpoint *e, struct process_sum *x,
                               enum chunk_state state,
                               enum status (*next)(struct mpi_endpoint *e, struct process_sum *x,
                                                   int64_t c, bool *done))
{
    const struct process_sums *p = e->world->process_sums;
    const int64_t completed = x->completed;
    bool done = true;

    for (int64_t c = x->first_open; c < x->chunk_count && done; c++) {
        if (x->chunks[c].state == state)
            TRY(next(e, x, c, &done));
        if (x->completed != completed || p->is_cancelled)
            return STATUS_OK; /* by another worker, while the lock was given up */
    }
    return STATUS_OK;
}

enum status chunk_sum_advance(struct mpi_endpoint *e, struct process_sum *x, bool *done)
{
    const struct process_sums *p = e->world->process_sums;
    const int64_t completed = x->completed;

    *done = false;
    TRY(advance_all(e, x, CHUNK_SENT, copy_next));
    if (x->completed == completed && !p->is_cancelled)
        TRY(advance_all(e, x, CHUNK_OPEN, add_next));
    if (x->completed != completed || p->is_cancelled)
        return STATUS_OK;
    while (x->first_open < x->chunk_count && chunk_is_over(&x->chunks[x->first_open]))
        x->first_open++;
    *done = x->first_open == x->chunk_count;
    if (*done)
        process_sum_give_buffer(&x->partial);
    return STATUS_OK;
}

void chunk_sum_cancel(struct mpi_world *w, struct process_sum *x)
{
    for (int64_t c = 0; c < x->chunk_count; c++) {
        process_sum_cancel(&x->chunks[c].requests[UP_IN]);
        process_sum_cancel(&x->chunks[c].requests[DOWN_IN]);
        process_sum_wait_for(w, x->chunks[c].requests, DIRECTIONS);
    }
}
