/*
 * transport.h - how the endpoints of a run communicate: messages, sums, time. One contract, several
 * transports.
 *
 * Endpoints 0 .. workers-1 are the computing workers; workers .. size-1 are what else an algorithm
 * has (a parameter server, or a responder for each worker). Every endpoint has its own struct
 * transport and is driven by one thread at a time.
 *
 * - send never waits for the receiver, so "all send, then all receive" cannot deadlock; the
 *   transport keeps its own copy. More than TRANSPORT_PENDING_MAX undelivered messages from one
 *   endpoint to another are an error that names both. An endpoint may send to itself.
 * - recv waits for a message of one kind or of a set of kinds, from one endpoint or from any.
 *   Messages of one kind between two endpoints arrive in order. There is no probe: the sequence of
 *   receives from ANY is the whole of an asynchronous run's order. A message that is larger than
 * the buffer is an error that names both sizes, and is lost.
 * - A message may be gathered from several places, and a received one be spread over several, in
 *   order; the other side sees one message.
 * - send_each is as many sends of one message. await waits for the first message of a kind from
 *   each of some endpoints, so that one who needs them all is woken once; they stay to be received.
 *   A borrowed message may be read where it lies, in the caller's place or in the transport's
 *   memory, until it is given back; nothing else is received meanwhile.
 * - A sum is over all workers (not servers), in rank order for every element, so that it has the
 *   same bits on every transport. All workers start the same sums in the same order, and may wait
 *   for them in any order. A ticket names a sum that was started; each is waited for once. A sum
 *   may start when the one TRANSPORT_SUMS_MAX before it has been waited for. Sums make progress
 *   while their workers poll or wait, for whichever of them: a worker that has started a sum must
 *   not wait for a message that another sends only after that sum.
 * - From start until wait has answered, data belongs to the transport. After an error of
 *   sum_start, sum_poll or sum_wait it touches the data of no sum any more. Whoever has started a
 *   sum waits for it, also after an error of another call.
 * - No call is made while the endpoint holds a lock: the call may wait for one who wants that lock.
 * - Time comes from the transport, not from the clock: it may be virtual. work says what was
 *   computed: real time has passed meanwhile, virtual time passes in the call.
 * - compute_begin takes one of a process's slots, first come first served; every call that may wait
 *   gives the slot back while it waits. compute_end gives it back for good.
 * - abort wakes every blocked call everywhere; they and all later calls answer STATUS_PEER with the
 *   text of the failure. A call that only computes is not interrupted.
 */
#ifndef COMM_TRANSPORT_H
#define COMM_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * Kinds are 0 .. TRANSPORT_KINDS-1. Those from TRANSPORT_CONTROL on belong to the loop around the
 * rounds: they go the same way, but are not in the counters and take no virtual time.
 */
enum {
    TRANSPORT_ANY = -1,
    TRANSPORT_PENDING_MAX = 64,
    TRANSPORT_SUMS_MAX = 8, /* of a worker, under way at once */
    TRANSPORT_CONTROL = 20,
    TRANSPORT_KINDS = 32
};

/* A set of kinds: transport_kinds_of(A) | transport_kinds_of(B). */
typedef uint32_t transport_kinds;

static inline transport_kinds transport_kinds_of(int kind)
{
    return (transport_kinds)1 << kind;
}

/* Who wrote a received message, and how much. */
struct envelope {
    int from, kind;
    size_t bytes;
    int64_t sequence; /* of this kind between the two endpoints, from 0 */
};

/* Places that a message is gathered from, or spread over. */
struct outgoing {
    const void *data;
    size_t bytes;
};
struct incoming {
    void *data;
    size_t bytes; /* room; of the last that is filled, some may be left */
};

/* Several endpoints, no two alike. */
struct peers {
    const int *ranks;
    int count;
};

enum sum_type { SUM_FLOAT, SUM_DOUBLE, SUM_INT64 };

/* data[count] is replaced by the sum over the workers. count 0 is a barrier. */
struct sum {
    void *data;
    int64_t count;
    enum sum_type type; /* whole numbers wrap around */
    bool is_control;    /* the loop's own: not in the counters, no virtual time */
};

/* The number of a sum: how many were started before it, by this worker as by any other. */
typedef int64_t sum_ticket;

/* A sum as the checked functions know it. */
struct started_sum {
    sum_ticket ticket;
    bool is_open; /* not waited for */
    bool is_control;
};

/* What was computed, with whatever number of threads. */
struct work {
    double flops; /* additions and multiplications */
    double bytes; /* read from memory and written to it */
};

/* What an endpoint's time is divided into. */
#define TRANSPORT_SECONDS(X) X(computing) X(waiting) X(transferring) X(sleeping)

/* Where an endpoint's time and bytes went. What belongs to control is only counted as waiting. */
struct transport_counters {
    int64_t bytes_sent, messages_sent; /* a sum counts as the messages of its two exchanges */
#define TRANSPORT_SECONDS_MEMBER(name) double name;
    TRANSPORT_SECONDS(TRANSPORT_SECONDS_MEMBER) /* seconds */
#undef TRANSPORT_SECONDS_MEMBER
};

struct transport;
struct trace;

/*
 * Required unless marked optional. Buffers are borrowed for the duration of the call. A call adds
 * to counters.waiting what it spent waiting; the checked functions keep the rest.
 */
struct transport_ops {
    const char *name;
    enum status (*send)(struct transport *t, int to, int kind, const struct outgoing *parts,
                        int count);
    enum status (*recv)(struct transport *t, int from, transport_kinds kinds, struct envelope *e,
                        const struct incoming *parts, int count);
    enum status (*send_each)(struct transport *t, const struct peers *to, int kind,
                             const struct outgoing *parts, int count); /* optional: sends */
    enum status (*await)(struct transport *t, const struct peers *from,
                         int kind); /* optional: recv waits */
    enum status (*borrow)(struct transport *t, int from, int kind, struct envelope *e,
                          const struct incoming *place, const void **data); /* optional: recv */
    void (*give_back)(struct transport *t);                                 /* with borrow */
    enum status (*sum_start)(struct transport *t, const struct sum *s, sum_ticket ticket);
    enum status (*sum_poll)(struct transport *t, sum_ticket ticket,
                            bool *done); /* optional: never done before wait */
    enum status (*sum_wait)(struct transport *t, sum_ticket ticket);
    void (*compute_begin)(struct transport *t);
    void (*compute_end)(struct transport *t);
    enum status (*work)(struct transport *t, const struct work *w); /* optional: takes no time */
    enum status (*sleep)(struct transport *t, double seconds);
    double (*now)(struct transport *t);
    void (*abort)(struct transport *t, enum status why, const char *text);
    void (*free)(struct transport *t);
};

/* The common part. A transport embeds it as its FIRST member. */
struct transport {
    const struct transport_ops *ops;
    int rank;    /* of this endpoint */
    int workers; /* computing workers */
    int size;    /* endpoints */
    struct transport_counters counters;
    struct trace *trace; /* borrowed; NULL: nobody looks. Set by trace_attach (trace.h) */
    int64_t *sent_to;    /* [size], borrowed; NULL: nobody looks. Bytes to each endpoint */

    /* Kept by the checked functions. */
    bool is_computing;    /* between compute_begin and compute_end: holds a slot */
    bool has_borrowed;    /* between borrow and give_back */
    int64_t sums_started; /* also the ticket of the next one */
    struct started_sum sums[TRANSPORT_SUMS_MAX]; /* the latest, by ticket modulo the size */
    int locks_held;         /* by this endpoint's thread: no call is made with one */
    double computing_since; /* of a computation, or since its last call */
};

/*
 * The checked functions: ranks and kinds in range, counters kept. Wrong ranks, kinds and orders of
 * calls are mistakes of the programmer; so is a sum on a server.
 */
enum status transport_send(struct transport *t, int to, int kind, const void *data, size_t bytes);
enum status transport_recv(struct transport *t, int from, int kind, struct envelope *e,
                           void *buffer, size_t capacity);
enum status transport_recv_kinds(struct transport *t, int from, transport_kinds kinds,
                                 struct envelope *e, const struct incoming *place);
enum status transport_send_parts(struct transport *t, int to, int kind,
                                 const struct outgoing *parts, int count);
enum status transport_recv_parts(struct transport *t, int from, int kind, struct envelope *e,
                                 const struct incoming *parts, int count);
enum status transport_send_each(struct transport *t, const struct peers *to, int kind,
                                const void *data, size_t bytes);
enum status transport_send_parts_each(struct transport *t, const struct peers *to, int kind,
                                      const struct outgoing *parts, int count);
enum status transport_await(struct transport *t, const struct peers *from, int kind);
enum status transport_borrow(struct transport *t, int from, int kind, struct envelope *e,
                             const struct incoming *place, const void **data);
void transport_give_back(struct transport *t);
enum status transport_sum(struct transport *t, const struct sum *s); /* start and wait */
enum status transport_sum_start(struct transport *t, const struct sum *s, sum_ticket *ticket);
enum status transport_sum_poll(struct transport *t, sum_ticket ticket,
                               bool *done); /* never waits */
enum status transport_sum_wait(struct transport *t, sum_ticket ticket);
enum status transport_barrier(struct transport *t); /* of the workers */
void transport_compute_begin(struct transport *t);
void transport_compute_end(struct transport *t);
enum status transport_work(struct transport *t, const struct work *w);
enum status transport_sleep(struct transport *t, double seconds);
double transport_now(struct transport *t); /* seconds since the world was opened */
void transport_abort(struct transport *t, enum status why, const char *text);

/* The counters as of now, with the computing that is still going on. */
struct transport_counters transport_counters_now(struct transport *t);

/* For transports: the bytes of all parts, and copies of what they say. */
size_t transport_outgoing_bytes(const struct outgoing *parts, int count);
size_t transport_incoming_bytes(const struct incoming *parts, int count);
void transport_gather_parts(void *message, const struct outgoing *parts, int count);
void transport_spread_parts(const struct incoming *parts, int count, const void *message,
                            size_t bytes);
void transport_copy_parts(const struct incoming *parts, int count, const struct outgoing *from,
                          int from_count); /* which is not more than there is room for */

/* "worker 3", "responder 3" or "the server": how messages call an endpoint. */
struct endpoint_name {
    char text[32];
};
struct endpoint_name transport_name_of(const struct transport *t, int rank);

#endif
