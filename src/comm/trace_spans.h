/*
 * trace_spans.h - what a trace is made of. For trace.c and trace_write.c alone.
 */
#ifndef COMM_TRACE_SPANS_H
#define COMM_TRACE_SPANS_H

#include "comm/trace.h"

struct span {
    double start;
    double end;   /* the value, of a number */
    int32_t what; /* enum trace_what */
    int32_t of;   /* of a number: the endpoint that it is about */
};

/*
 * spans[0 .. first) are the first ones; spans[first .. kept) a ring of the latest, whose oldest is
 * at first + next. Before the trace is full, next is 0 and all are in order.
 */
struct trace {
    int64_t limit, capacity; /* at most, and room for now */
    int64_t first;           /* of a full trace; they stay */
    int64_t kept, next, dropped;
    double computing_since; /* while the endpoint computes */
    struct span *spans;     /* [capacity] */
};

static inline bool span_is_number(const struct span *s)
{
    return s->what >= TRACE_STALENESS;
}

static inline bool span_is_loops(const struct span *s)
{
    return s->what >= TRACE_ROUND && !span_is_number(s);
}

/* The i-th kept span in the order of adding. */
const struct span *trace_at(const struct trace *r, int64_t i);

#endif
