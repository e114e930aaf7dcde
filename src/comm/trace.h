/*
 * trace.h - when an endpoint computed, waited, sent and slept: spans of time, kept by the functions
 * of its transport, and what the loop around the rounds adds (rounds, evaluations, checkpoints).
 *
 * A trace is bounded: when it is full, the first half stays and the second half holds the latest
 * spans. So a long run shows in full how it began and how it ended, and says what is left out in
 * between. Spans below TRACE_SHORTEST_S are not kept; a computation goes on over them.
 *
 * Time is the transport's. On several hosts it begins at the end of one barrier, and is as far
 * apart as the processes leave it: by about the latency of the network.
 */
#ifndef COMM_TRACE_H
#define COMM_TRACE_H

#include "comm/transport.h"

enum trace_what {
    /* The transport's. They follow one another. */
    TRACE_COMPUTE,
    TRACE_WAIT,
    TRACE_SEND,
    TRACE_RECEIVE,
    TRACE_SUM,     /* adding, and what is not waiting in a sum */
    TRACE_CONTROL, /* the loop's own messages and sync points, without waiting */
    TRACE_SLEEP,
    /* The loop's. They lie beside or inside one another, and around the transport's. */
    TRACE_ROUND,
    TRACE_EVALUATE,
    TRACE_CHECKPOINT,
    /* Numbers that change with time: a server's, about each of its workers. */
    TRACE_STALENESS,
    TRACE_WHATS
};

/* How a file calls it. */
const char *trace_name(enum trace_what what);

enum { TRACE_SPANS = 20000, TRACE_SPANS_MIN = 16 };
#define TRACE_SHORTEST_S 1e-6

struct trace;

struct trace *trace_new(int64_t spans); /* at most; 0: TRACE_SPANS */
void trace_free(struct trace *r);

/* From now on the transport keeps its spans in the trace; with NULL no more. It stays the caller's.
 */
void trace_attach(struct transport *t, struct trace *r);

/* The loop's own, in seconds of transport_now. Nothing happens when nobody looks. */
void trace_span(struct transport *t, enum trace_what what, double start, double end);

/* A number that is known here, as of now, about an endpoint. */
void trace_count(struct transport *t, enum trace_what what, int of, double value);

int64_t trace_kept(const struct trace *r);
int64_t trace_dropped(const struct trace *r);

/* --- for the transport's functions --- */

/* A call from start to end, of which `waited` seconds were spent waiting. */
struct trace_call {
    double start, end, waited;
    enum trace_what what;
};
void trace_call(struct transport *t, const struct trace_call *c);
void trace_computed(struct trace *r, double end); /* the computation that is going on */

/* --- bringing traces together --- */

/* Bytes for a message between processes of one run, to be freed by mem_free. */
void *trace_pack(const struct trace *r, size_t *bytes);

/* A trace to be written, not to be added to. */
enum status trace_unpack(const void *data, size_t bytes, struct trace **r);

/*
 * traces[e] is that of endpoint e, NULL: left out. The file is Chrome's JSON: one thread per
 * endpoint, opened by ui.perfetto.dev and chrome://tracing.
 */
enum status trace_write(const char *path, const struct trace *const *traces, int count,
                        int workers);

#endif
