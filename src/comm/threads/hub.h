/*
 * hub.h - what the endpoints of the thread transport share. Private to this folder.
 *
 * Ways of waiting, each with its lock: a mailbox per endpoint (messages, and sleep), the meeting of
 * the workers or, where they share cores, their relay (sums), and the slots. No lock is held while
 * another is taken, but for the slots' inside the relay's and a mailbox's.
 */
#ifndef COMM_THREADS_HUB_H
#define COMM_THREADS_HUB_H

#include <pthread.h>
#include <stdatomic.h>

#include "comm/failure.h"
#include "comm/slots.h"
#include "comm/world_ops.h"

/* Where a message lies, for all that it was sent to. Its content never changes while it is used. */
struct room {
    struct room *next; /* of the spare ones */
    atomic_int users;
    size_t bytes, capacity;
    unsigned char *data; /* [capacity] */
};

enum { ROOM_SIZES = 64 };
struct rooms {
    pthread_mutex_t mutex;
    struct room *spare[ROOM_SIZES];
    size_t spare_bytes;
};

struct message {
    struct message *next;
    int from, kind;
    struct room *room;
};

/* The state of one sender in a receiver's mailbox, made when its first message comes. */
struct lane {
    int pending;                           /* undelivered */
    unsigned char queued[TRANSPORT_KINDS]; /* the same of each kind */
    bool is_wanted;                        /* a message of the kind that all are awaited of */
    int64_t received[TRANSPORT_KINDS];
};

/* What a receiver wants, and where. */
struct wish {
    int from, kind;
    const struct incoming *parts;
    int count;
};

/*
 * A receiver that waits has its places open: the first sender that has what it waits for takes them
 * and copies the message straight there. The mailbox's lock guards it, the places excepted.
 */
struct opening {
    bool is_open;          /* the first that has it may take them */
    bool is_taken;         /* a sender is writing there */
    atomic_bool is_filled; /* to spin on; changes with the lock held */
    struct wish wish;
    struct envelope envelope; /* of what it was filled with */
};

/* A receiver that waits until it has a message of this kind from each of some senders. */
struct vigil {
    int kind;
    int missing; /* senders, whose lanes are wanted */
};

struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    bool is_parked; /* the receiver waits for its slot, which whoever wakes it asks for */
    struct opening opening;
    struct vigil vigil;
    struct message *first[TRANSPORT_KINDS], *last[TRANSPORT_KINDS]; /* in order of arrival */
    struct lane **lanes;   /* [size], each NULL until a message; NULL: none at all */
    struct message *spare; /* delivered ones */
    struct room *borrowed; /* that the receiver reads; its own */
};

/*
 * The workers meet by counting arrivals: nobody arrives for the next time before all have arrived
 * for this one, so the k-th meeting is complete when there were k * workers arrivals.
 */
struct meeting {
    atomic_uint_fast64_t arrivals;
    pthread_mutex_t mutex;
    pthread_cond_t complete;
};

/*
 * Sums of workers that share cores. The k-th is made in sums[k % 2]: all have taken the result of
 * the one before when anybody's vector of the one after comes.
 */
struct relay {
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

struct endpoint {
    struct transport base;
    struct hub *hub; /* borrowed */
    struct mailbox mailbox;
    int spins; /* before the next wait parks: more where spinning has been enough, else fewer */
    enum sum_phase phase;
    uint64_t
        awaited; /* arrivals that complete the meeting this worker is in; or sums, in a relay */
    struct slots_place place; /* in the line, when the relay asks for this worker */
    bool is_parked;           /* waits with it for a sum; the relay's lock */
};

struct hub {
    struct world base;
    double opened;
    bool spins; /* every endpoint has a core */
    struct slots *slots;
    struct failure failure;
    struct rooms rooms;
    struct meeting meeting;
    struct relay relay;
    atomic_int adding;            /* workers that are using the vectors of others */
    struct sum *posted;           /* [workers] of the sum under way */
    void **vectors;               /* [workers] their data */
    struct transport **endpoints; /* [size] of struct endpoint */
    void **shared;                /* [shared_count] the blocks of world_share */
    int shared_count;
};

static inline struct endpoint *hub_endpoint(const struct hub *h, int rank)
{
    return (struct endpoint *)h->endpoints[rank];
}

/* A wait that may be long: gives the slot back, and counts the time. */
struct rest {
    double since;
};
struct rest hub_rest(struct endpoint *e);
void hub_resume(struct endpoint *e, struct rest r);

/*
 * One turn of spinning, and what was learnt from it: whether the wait was over in time. A wait that
 * is usually long, or a core that others use, makes spinning a waste.
 */
void hub_relax(void);
void hub_learn(struct endpoint *e, bool was_enough);

/* room.c */
void rooms_init(struct rooms *r);
void rooms_release(struct rooms *r);
struct room *room_make(struct rooms *r, const struct outgoing *parts, int count); /* one user */
void room_enter(struct room *x);                                                  /* one more */
void room_leave(struct rooms *r, struct room *x);

/* mailbox.c */
void mailbox_init(struct mailbox *m);
void mailbox_release(struct endpoint *e);
enum status mailbox_recv(struct transport *t, int from, int kind, struct envelope *e,
                         const struct incoming *parts, int count);
enum status mailbox_await(struct transport *t, const struct peers *from, int kind);
enum status mailbox_borrow(struct transport *t, int from, int kind, struct envelope *e,
                           const struct incoming *place, const void **data);
void mailbox_give_back(struct transport *t);
enum status mailbox_sleep(struct transport *t, double seconds);
void mailbox_wake(struct endpoint *e);

/* Of a receiver, with its mailbox's lock held: what it knows of a sender; and it is to look again.
 */
struct lane *mailbox_lane(struct mailbox *m, int from, int size);
void mailbox_unlock_and_wake(struct endpoint *e);

/* post.c */
enum status post_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                      int count);
enum status post_send_each(struct transport *t, const struct peers *to, int kind,
                           const struct outgoing *parts, int count);

/* meeting.c */
void meeting_init(struct meeting *m);
void meeting_release(struct meeting *m);
enum status meeting_sum_start(struct transport *t, const struct sum *s);
enum status meeting_sum_poll(struct transport *t, bool *done);
enum status meeting_sum_wait(struct transport *t);
void meeting_wake(struct meeting *m);
enum status meeting_leave_failed(struct endpoint *e);
enum status meeting_refuse_other_sum(const struct hub *h, int rank);

/* relay.c */
void relay_init(struct relay *r, int workers);
void relay_release(struct relay *r);
enum status relay_sum_start(struct endpoint *e, const struct sum *s);
bool relay_is_over(const struct endpoint *e);
enum status relay_sum_wait(struct endpoint *e);
void relay_wake(struct hub *h);

#endif
