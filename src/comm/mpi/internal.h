/*
 * internal.h - what the files of the MPI transport share. Private to this folder.
 *
 * A process has some workers, each on a thread, and perhaps the server or the workers' responders;
 * or it has the server alone. Three communicators keep messages, sums and control apart. No MPI
 * call of ours blocks: each is started and then asked for, so that every wait can be polite and can
 * be woken.
 */
#ifndef COMM_MPI_INTERNAL_H
#define COMM_MPI_INTERNAL_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "comm/core_slots.h"
#include "comm/failure.h"
#include "comm/sum.h"
#include "comm/world_ops.h"

/* A message on its way: its copy belongs to MPI until the request is complete, or inside a process
 * to the receiver until it is delivered. */
struct send_buffer {
    struct send_buffer *next;
    bool is_local;
    atomic_bool is_delivered; /* a local one */
    MPI_Request request;      /* of any other */
    size_t bytes, capacity;
    unsigned char *data;
};

/* A message that has come, and is not received. */
struct arrival {
    struct arrival *next;
    int from, kind;
    size_t bytes;
    MPI_Message message;
    struct send_buffer *local; /* from this process; NULL: `message` */
};

/* The messages for an endpoint, in the order of their arrival. */
struct inbox {
    struct arrival *first, *last;
};

/* Buffers to one endpoint. */
struct outbox {
    struct send_buffer *pending;
    int count;
};

/* A sum under way: first the chunks to their owners, then the summed chunks to all. */
enum sum_phase { SUM_NONE, SUM_SCATTER, SUM_GATHER };

struct mpi_sum {
    struct sum sum;
    enum sum_phase phase;
    bool is_whole;            /* small: each sends all to all, and adds for itself */
    int count;                /* requests under way; the receives come first */
    MPI_Request *requests;    /* [2 (workers - 1)] */
    size_t *expected;         /* [workers - 1] bytes of each receive */
    const void **inputs;      /* [workers] */
    struct sum_buffer *inbox; /* [workers - 1] pieces to add, while they come; else NULL */
};

/* The sums of a worker, by ticket modulo the size. */
struct mpi_sums {
    struct mpi_sum ring[TRANSPORT_SUMS_MAX];
    struct sum_buffer inboxes[TRANSPORT_SUMS_MAX];
    double adding; /* seconds so far */
};

struct process_sums;

struct mpi_endpoint {
    struct transport base;
    struct mpi_world *world; /* borrowed */
    struct outbox *outboxes; /* [size] */
    struct send_buffer *spare;
    int64_t *received;  /* [size][TRANSPORT_KINDS] */
    double spin_s;      /* before the next wait sleeps: grows where that was enough, else shrinks */
    struct inbox inbox; /* the world's inbox_mutex */
    pthread_cond_t woken; /* the same */
    bool has_news;        /* the same: since it last looked */
    struct mpi_sums sums;
    struct core_slot_holder slot_holder;
};

/* Where the thread that called this transport is. */
enum run_phase {
    PHASE_IDLE,    /* with the caller */
    PHASE_RUNNING, /* in the bodies */
    PHASE_WAITING, /* for the other processes */
};

/* A failure as it travels: to rank 0, which decides on the first, and from it to all. */
struct failure_notice {
    int32_t status;
    char text[2048];
};

/*
 * The failure thread of a process: receives and sends notices of failure, ends what does not end by
 * itself, and empties the wire when a run is over. The mutex guards all but the thread itself.
 */
struct failure_thread {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* also what sleepers sleep on; by the monotonic clock */
    enum run_phase phase;
    bool is_stopping;       /* the thread must end */
    bool is_draining;       /* nobody receives any more: messages are thrown away */
    bool has_notice;        /* of a failure of this process, which rank 0 does not know */
    bool is_reported;       /* the failure was printed or answered */
    enum status verdict;    /* of the first failure, once rank 0 has decided; STATUS_OK before */
    double failed, waiting; /* when the failure was seen, and PHASE_WAITING was reached */
    struct failure_notice out;
    MPI_Request *requests; /* [processes] of `out` */
    int request_count;
    MPI_Request trash; /* a message that is being thrown away; the failure thread's own */
    unsigned char *trash_data;
};

struct mpi_world {
    struct world base;
    MPI_Comm messages, sums, control_comm;
    MPI_Comm host; /* the processes of this host */
    int hosts;
    double opened;   /* the same moment of the same clock for all processes of a host */
    bool is_crowded; /* more endpoints than cores on this host */
    struct core_slots *slots;
    struct failure failure; /* the first that this process knows; on rank 0 the first of all */
    struct transport **endpoints; /* [count] by their places: the workers come first */
    int count;                    /* endpoints here */
    pthread_mutex_t inbox_mutex;  /* of all inboxes here */
    struct arrival *spare_arrivals;
    struct process_sums *process_sums; /* NULL: every process has one worker */
    MPI_Win *windows;                  /* [window_count] of shared memory */
    int window_count;
    struct failure_thread failure_thread;
};

/* --- collective.c: what all processes do together while no body runs --- */
enum status mpi_wait_for(struct mpi_world *w, MPI_Request *request); /* politely */
enum status mpi_agree(struct world *base, int64_t mine, int64_t *lowest);
enum status mpi_share(struct world *base, size_t bytes, void **memory);
void mpi_shared_release(struct mpi_world *w); /* by all processes */

/* --- mpi_util.c: small things around MPI calls --- */

/* STATUS_OK, or a failure with the text of MPI. */
enum status mpi_check(int code, const char *what);

/* How `bytes` bytes are said to MPI, which counts with an int. mpi_bytes_end after the call. */
struct mpi_bytes {
    int count;
    MPI_Datatype type;
};
struct mpi_bytes mpi_bytes_of(size_t bytes);
void mpi_bytes_end(struct mpi_bytes s);

/* A wait: spins for a moment, then sleeps in growing steps and gives the slot back. */
extern const double mpi_backoff_spin_s; /* the longest moment */
struct mpi_backoff {
    struct mpi_world *world;
    struct mpi_endpoint *endpoint; /* NULL: not an endpoint's */
    double since;                  /* 0: not waited yet */
    double busy;                   /* seconds in which work was done meanwhile: not waited */
    bool is_transfer;              /* what is waited for is on its way: counts as transferring */
    bool is_asleep;
};
void mpi_backoff_wait(struct mpi_backoff *b);
void mpi_backoff_end(struct mpi_backoff *b);
void mpi_cond_init(pthread_cond_t *condition);    /* by the monotonic clock */
struct timespec mpi_moment_after(double seconds); /* of the same */
void mpi_wake(struct mpi_endpoint *e); /* with the world's inbox_mutex held: it shall look again */

/* --- processes.c: who is where. The place of an endpoint is its number in its process. --- */
enum { MPI_PLACES_MAX = 8192 };
int mpi_worker_processes(const struct world *w); /* they are the first ones */
int mpi_first_worker(const struct world *w, int process);
int mpi_workers_of(const struct world *w, int process);
int mpi_endpoints_of(const struct world *w, int process);
int mpi_process_of(const struct world *w, int endpoint);
int mpi_place_of(const struct world *w, int endpoint);
int mpi_endpoint_at(const struct world *w, int process, int place);

/* --- inbox.c --- */
int mpi_tag_of(const struct world *w, int from, int to, int kind);
void mpi_inbox_hand_over(struct mpi_endpoint *to, int from, int kind, struct send_buffer *p);
enum status mpi_inbox_take(struct mpi_endpoint *e, int from, transport_kinds kinds,
                           struct arrival *out, bool *found);      /* never waits */
bool mpi_inbox_take_any(struct mpi_world *w, struct arrival *out); /* of any endpoint here */
void mpi_inboxes_release(struct mpi_world *w);

/* --- messages.c --- */
enum status mpi_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                     int count);
enum status mpi_recv(struct transport *t, int from, transport_kinds kinds, struct envelope *e,
                     const struct incoming *parts, int count);
bool mpi_outboxes_are_empty(struct mpi_endpoint *e); /* asks MPI; never waits */
void mpi_outboxes_release(struct mpi_endpoint *e);

/* --- sums.c --- */
void mpi_sums_init(struct mpi_endpoint *e);
void mpi_sums_release(struct mpi_endpoint *e);
enum status mpi_sum_start(struct transport *t, const struct sum *s, sum_ticket ticket);
enum status mpi_sum_poll(struct transport *t, sum_ticket ticket, bool *done);
enum status mpi_sum_wait(struct transport *t, sum_ticket ticket);

/* --- process_sums.c: the same where a process has several workers --- */
void process_sums_init(struct mpi_world *w);
void process_sums_release(struct mpi_world *w);
enum status process_sum_start(struct transport *t, const struct sum *s, sum_ticket ticket);
enum status process_sum_poll(struct transport *t, sum_ticket ticket, bool *done);
enum status process_sum_wait(struct transport *t, sum_ticket ticket);

/* --- failure_thread.c --- */
enum status failure_thread_start(struct mpi_world *w);
void failure_thread_stop(struct mpi_world *w); /* when all messages everywhere are gone */
void failure_thread_set_phase(struct mpi_world *w, enum run_phase phase);
void failure_thread_drain(struct mpi_world *w);
void failure_thread_report(struct mpi_world *w, enum status why, const char *text);
enum status failure_thread_sleep(struct mpi_world *w, double seconds); /* until then or a failure */

/* Waits for the verdict and answers it: with its text on rank 0, with an empty one elsewhere. */
enum status failure_thread_answer(struct mpi_world *w);

#endif
