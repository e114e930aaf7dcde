/*
 * process_sums.h - a sum of workers of which several are in a process, while it is under way: what
 * process_sums.c and chunk_sums.c share.
 *
 * The mutex guards everything here. It is given up while vectors are added or copied; `busy` counts
 * who does so, because a worker that fails must not leave while its vector is used.
 */
#ifndef COMM_MPI_PROCESS_SUMS_H
#define COMM_MPI_PROCESS_SUMS_H

#include "comm/mpi/internal.h"

/* CHUNK_ADDING, CHUNK_COPYING: a worker does so without the lock. */
enum chunk_state { CHUNK_OPEN, CHUNK_ADDING, CHUNK_SENT, CHUNK_COPYING, CHUNK_DONE };

/* From the process before, to the next one, from it, and to the one before. */
enum { UP_IN, UP_OUT, DOWN_IN, DOWN_OUT, DIRECTIONS };

struct chunk {
    enum chunk_state state;
    MPI_Request requests[DIRECTIONS];
};

/* A sum under way in this process. */
struct process_sum {
    struct sum *posted; /* [own workers] */
    int posted_count;
    int64_t completed; /* sums in this place of the ring */
    bool is_running;   /* all workers here have posted, and it is not complete */
    bool is_whole;

    /* In chunks. */
    struct chunk *chunks; /* [chunk_count] */
    int64_t chunk_count, chunk_capacity;
    int64_t first_open;         /* all before are done */
    struct sum_buffer *partial; /* the sum of the workers up to this process */

    /* Whole: the vectors of all workers in rank order, and two requests for each process. */
    struct sum_buffer *vectors;
    MPI_Request *requests; /* [2 processes] */
};

struct process_sums {
    pthread_mutex_t mutex;
    struct process_sum ring[TRANSPORT_SUMS_MAX];
    struct sum_buffer buffers[TRANSPORT_SUMS_MAX];
    int busy;
    bool is_cancelled;
    int own, first; /* workers of this process */
    int process, last;
};

/* A message of a sum. */
struct transfer {
    void *data;
    size_t bytes;
    int peer, tag;
};

size_t process_sum_bytes(const struct process_sum *x); /* of a vector */

/* From the ring's buffers; and back, which makes it NULL. */
struct sum_buffer *process_sum_take_buffer(struct process_sums *p, size_t bytes);
void process_sum_give_buffer(struct sum_buffer **buffer);

enum status process_sum_receive(struct mpi_world *w, struct transfer x, MPI_Request *request);
enum status process_sum_send(struct mpi_world *w, struct transfer x, MPI_Request *request);

/* Whether a message of so many bytes has come from a process. Another size is an error. */
enum status process_sum_test(struct mpi_world *w, const struct process_sum *x, int peer,
                             size_t bytes, MPI_Request *request, bool *done);

/* Cancels a receive that has not come. Waits for all requests. */
void process_sum_cancel(MPI_Request *request);
void process_sum_wait_for(struct mpi_world *w, MPI_Request *requests, int count);

/* --- chunk_sums.c --- */
enum status chunk_sum_start(struct mpi_world *w, struct process_sum *x);
enum status chunk_sum_advance(struct mpi_endpoint *e, struct process_sum *x, bool *done);
void chunk_sum_cancel(struct mpi_world *w, struct process_sum *x);

#endif
