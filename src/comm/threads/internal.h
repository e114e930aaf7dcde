/*
 * internal.h - what the endpoints of the thread transport share. Private to this folder.
 *
 * Ways of waiting, each with its lock: a mailbox per endpoint (messages, and sleep), the barrier of
 * the workers or, where they share cores, their relay (sums), and the slots. No lock is held while
 * another is taken, but for the slots' inside the relay's and a mailbox's.
 */
#ifndef COMM_THREADS_INTERNAL_H
#define COMM_THREADS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "comm/core_slots.h"
#include "comm/failure.h"
#include "comm/world_ops.h"

/* Where a message lies, for all that it was sent to. Its content never changes while it is used. */
struct message_buffer {
    struct message_buffer *next; /* of the spare ones */
    atomic_int users;
    size_t bytes, capacity;
    unsigned char *data; /* [capacity] */
};

enum { MESSAGE_POOL_SIZES = 64 };
struct message_pool {
    pthread_mutex_t mutex;
    struct message_buffer *spare[MESSAGE_POOL_SIZES];
    size_t spare_bytes;
};

struct message {
    struct message *next, *previous; /* of its kind, in order of arrival; or of the spare ones */
    struct message *next_of_sender;  /* of any kind */
    int64_t arrival;                 /* its number in the mailbox */
    int from, kind;
    struct message_buffer *buffer;
};

/* The state of one sender in a receiver's mailbox, made when its first message comes. */
struct sender_state {
    int pending;                           /* undelivered */
    struct message *first, *last;          /* those that are queued, of all kinds */
    unsigned char queued[TRANSPORT_KINDS]; /* the same of each kind */
    bool is_wanted;                        /* a message of the kind that all are awaited of */
    int64_t received[TRANSPORT_KINDS];
};

/* What a receiver wants, and where. */
struct recv_request {
    int from;
    transport_kinds kinds;
    const struct incoming *parts;
    int count;
};

/*
 * A receiver that waits has posted its places: the first sender that has what it waits for takes
 * them and copies the message straight there. The mailbox's lock guards it, the places excepted.
 */
struct posted_recv {
    bool is_open;          /* the first that has it may take them */
    bool is_taken;         /* a sender is writing there */
    atomic_bool is_filled; /* to spin on; changes with the lock held */
    struct recv_request request;
    struct envelope envelope; /* of what it was filled with */
};

/* A receiver that waits until it has a message of this kind from each of some senders. */
struct recv_all {
    int kind;
    int missing; /* senders, whose is_wanted is set */
};

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    bool is_parked; /* the receiver waits for its slot, which whoever wakes it asks for */
    struct posted_recv posted;
    struct recv_all recv_all;
    struct message *first[TRANSPORT_KINDS], *last[TRANSPORT_KINDS]; /* in order of arrival */
    int64_t arrivals;
    struct sender_state **senders;   /* [size], each NULL until a message; NULL: none at all */
    struct message *spare;           /* delivered ones */
    struct message_buffer *borrowed; /* that the receiver reads; its own */
};

/*
 * The workers wait for each other by counting arrivals: nobody arrives for the next time before all
 * have arrived for this one, so the k-th barrier is complete when there were k * workers arrivals.
 */
struct sum_barrier {
    atomic_uint_fast64_t arrivals;
    pthread_mutex_t mutex;
    pthread_cond_t complete;
};

/*
 * Sums of workers that share cores. The k-th is made in sums[k % 2]: all have taken the result of
 * the one before when anybody's vector of the one after comes.
 */
struct sum_relay {
    pthread_mutex_t mutex;
    pthread_cond_t over;            /* for those without a slot */
    atomic_uint_fast64_t completed; /* sums; changes with the lock held */
    bool is_adding;                 /* somebody adds, and goes on as long as there is a next one */
    int added;                      /* workers, from the first on, that are in the sum */
    bool *has_posted;               /* [workers] */
    const void **inputs;            /* [1 + workers]: worker i's vector is at 1 + i */
    void *sums[2];
    size_t capacity[2];
};

enum sum_phase { SUM_NONE, SUM_POSTED, SUM_ADDED };

struct threads_endpoint {
    struct transport base;
    struct threads_world *world; /* borrowed */
    struct mailbox mailbox;
    int spins; /* before the next wait parks: more where spinning has been enough, else fewer */
    enum sum_phase phase;
    uint64_t awaited; /* arrivals that complete this worker's barrier; or sums, in a relay */
    struct core_slot_holder slot_holder; /* in the line, when the relay asks for this worker */
    bool is_parked;                      /* waits with it for a sum; the relay's lock */
};

struct threads_world {
    struct world base;
    double opened;
    bool spins; /* every endpoint has a core */
    struct core_slots *slots;
    struct failure failure;
    struct message_pool pool;
    struct sum_barrier barrier;
    struct sum_relay relay;
    atomic_int adding;            /* workers that are using the vectors of others */
    struct sum *posted;           /* [workers] of the sum under way */
    void **vectors;               /* [workers] their data */
    struct transport **endpoints; /* [size] of struct threads_endpoint */
    void **shared;                /* [shared_count] the blocks of world_share */
    int shared_count;
};

static inline struct threads_endpoint *threads_endpoint_at(const struct threads_world *w, int rank)
{
    return (struct threads_endpoint *)w->endpoints[rank];
}

/* A wait that may be long: gives the slot back, and counts the time. */
struct threads_wait {
    double since;
};
struct threads_wait threads_wait_begin(struct threads_endpoint *e);
void threads_wait_end(struct threads_endpoint *e, struct threads_wait wait);

/*
 * One turn of spinning, and what was learnt from it: whether the wait was over in time. A wait that
 * is usually long, or a core that others use, makes spinning a waste.
 */
void threads_cpu_relax(void);
void threads_adapt_spins(struct threads_endpoint *e, bool was_enough);

/* message_pool.c */
void message_pool_init(struct message_pool *pool);
void message_pool_release(struct message_pool *pool);
struct message_buffer *message_buffer_new(struct message_pool *pool, const struct outgoing *parts,
                                          int count); /* one user */
void message_buffer_retain(struct message_buffer *x); /* one more */
void message_buffer_release(struct message_pool *pool, struct message_buffer *x);

/* mailbox.c */
void mailbox_init(struct mailbox *m);
void mailbox_release(struct threads_endpoint *e);
void mailbox_wake(struct threads_endpoint *e);

/* With the mailbox's lock held: the state of a sender; and its owner is to check again. */
struct sender_state *mailbox_sender(struct mailbox *m, int from, int size);
void mailbox_unlock_and_wake(struct threads_endpoint *e);

/* receive.c */
enum status threads_recv(struct transport *t, int from, transport_kinds kinds, struct envelope *e,
                         const struct incoming *parts, int count);
enum status threads_await(struct transport *t, const struct peers *from, int kind);
enum status threads_borrow(struct transport *t, int from, int kind, struct envelope *e,
                           const struct incoming *place, const void **data);
void threads_give_back(struct transport *t);
enum status threads_sleep(struct transport *t, double seconds);

/* send.c */
enum status threads_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                         int count);
enum status threads_send_each(struct transport *t, const struct peers *to, int kind,
                              const struct outgoing *parts, int count);

/* sum_parallel.c */
void sum_barrier_init(struct sum_barrier *b);
void sum_barrier_release(struct sum_barrier *b);
enum status threads_sum_start(struct transport *t, const struct sum *s);
enum status threads_sum_poll(struct transport *t, bool *done);
enum status threads_sum_wait(struct transport *t);
void sum_barrier_wake(struct sum_barrier *b);
enum status sum_leave_failed(struct threads_endpoint *e);
enum status sum_refuse_mismatch(const struct threads_world *w, int rank);

/* sum_relay.c */
void sum_relay_init(struct sum_relay *r, int workers);
void sum_relay_release(struct sum_relay *r);
enum status sum_relay_start(struct threads_endpoint *e, const struct sum *s);
bool sum_relay_is_over(const struct threads_endpoint *e);
enum status sum_relay_wait(struct threads_endpoint *e);
void sum_relay_wake(struct threads_world *w);

#endif
