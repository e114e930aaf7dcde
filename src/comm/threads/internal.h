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
#include "comm/sum.h"
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
 * Sums under way are in a ring, by their tickets. Whoever starts sum k + SUM_RING has waited for
 * sum k + TRANSPORT_SUMS_MAX, so all had started that one and had waited for sum k before: nobody
 * uses its place any more.
 */
enum { SUM_RING = 2 * TRANSPORT_SUMS_MAX };

/* What a sum needs of workers that share cores. The relay's lock guards it. */
struct relayed_sum {
    bool is_adding;                /* somebody adds, and goes on as long as there is a next one */
    int added;                     /* workers, from the first on, that are in the sum */
    bool *has_posted;              /* [workers] */
    struct sum_buffer *result;     /* while there is one */
    atomic_int untaken;            /* workers that have not copied the result */
    atomic_int_fast64_t completed; /* sums in this place; changes with the lock held */
};

/*
 * Workers that have a core each wait for each other by counting arrivals: nobody arrives for the
 * next time before all have arrived for this one, so the k-th barrier in this place is complete
 * when there were k * workers arrivals. A sum has two.
 */
struct threads_sum {
    struct sum *posted; /* [workers] */
    void **vectors;     /* [1 + workers]: worker i's data is at 1 + i */
    atomic_int_fast64_t arrivals;
    struct relayed_sum relayed;
};

/* What those that wait for a barrier sleep on. */
struct sum_barrier {
    pthread_mutex_t mutex;
    pthread_cond_t complete;
};

/* What the sums of workers that share cores have in common. */
struct sum_relay {
    pthread_mutex_t mutex;
    pthread_cond_t over; /* for those without a slot */
    struct sum_buffer results[SUM_RING];
};

enum sum_phase { SUM_NONE, SUM_POSTED, SUM_ADDED };

struct threads_endpoint {
    struct transport base;
    struct threads_world *world; /* borrowed */
    struct mailbox mailbox;
    int spins; /* before the next wait parks: more where spinning has been enough, else fewer */
    enum sum_phase phases[SUM_RING];
    sum_ticket oldest;                   /* no sum before it is in a phase */
    sum_ticket awaited;                  /* in a relay: what this worker waits for */
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
    atomic_int adding; /* workers that are using the vectors of others */
    struct threads_sum sums[SUM_RING];
    struct transport **endpoints; /* [size] of struct threads_endpoint */
    void **shared;                /* [shared_count] the blocks of world_share */
    int shared_count;
};

static inline struct threads_endpoint *threads_endpoint_at(const struct threads_world *w, int rank)
{
    return (struct threads_endpoint *)w->endpoints[rank];
}

static inline struct threads_sum *threads_sum_at(struct threads_world *w, sum_ticket ticket)
{
    return &w->sums[ticket % SUM_RING];
}

static inline enum sum_phase *threads_sum_phase(struct threads_endpoint *e, sum_ticket ticket)
{
    return &e->phases[ticket % SUM_RING];
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

/* threads.c */
void threads_abort(struct transport *t, enum status why, const char *text);

/* sums.c */
void threads_sums_init(struct threads_world *w);
void threads_sums_release(struct threads_world *w);
void threads_sums_wake(struct threads_world *w);
enum status threads_sum_start(struct transport *t, const struct sum *s, sum_ticket ticket);
enum status threads_sum_poll(struct transport *t, sum_ticket ticket, bool *done);
enum status threads_sum_wait(struct transport *t, sum_ticket ticket);
enum status threads_sum_leave_failed(struct threads_endpoint *e);
bool threads_sum_matches(const struct threads_sum *x, int rank);
enum status threads_sum_refuse_mismatch(struct threads_endpoint *e, const struct threads_sum *x,
                                        int rank);
void threads_sum_add(struct threads_world *w, const struct reduction *r);

/* sum_parallel.c */
void sum_parallel_start(struct threads_endpoint *e, sum_ticket ticket);
enum status sum_parallel_advance(struct threads_endpoint *e); /* all sums; never waits */
enum status sum_parallel_wait(struct threads_endpoint *e, sum_ticket ticket);
void sum_parallel_wake(struct threads_world *w);

/* sum_relay.c */
enum status sum_relay_start(struct threads_endpoint *e, sum_ticket ticket);
bool sum_relay_is_over(const struct threads_endpoint *e, sum_ticket ticket);
enum status sum_relay_wait(struct threads_endpoint *e, sum_ticket ticket);
void sum_relay_wake(struct threads_world *w);

#endif
