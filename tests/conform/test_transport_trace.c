/*
 * test_transport_trace.c - what every transport shows of itself: spans that agree with its
 * counters, and that come together in one place.
 */
#include "comm/trace.h"
#include "comm/trace_spans.h"
#include "worlds.h"

enum { KIND_TRACE = TRANSPORT_CONTROL + 3 };

static enum status some_rounds(struct transport *t)
{
    float x[1000] = {0};
    const int next = (t->rank + 1) % t->size;

    for (int round = 0; round < 5; round++) {
        const double start = transport_now(t);

        while (transport_now(t) < start + 0.001)
            continue;
        TRY(transport_sleep(t, 0.002));
        TRY(transport_send(t, next, KIND_A, x, sizeof x));
        TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, NULL, x, sizeof x));
        if (!is_server(t))
            TRY(transport_sum(t, &(struct sum){.data = x, .count = 1000}));
        trace_span(t, TRACE_ROUND, start, transport_now(t));
    }
    return STATUS_OK;
}

static double seconds_of(const struct trace *r, enum trace_what what)
{
    double sum = 0;

    for (int64_t i = 0; i < trace_kept(r); i++)
        if (trace_at(r, i)->what == (int64_t)what)
            sum += trace_at(r, i)->end - trace_at(r, i)->start;
    return sum;
}

static int64_t count_of(const struct trace *r, enum trace_what what)
{
    int64_t count = 0;

    for (int64_t i = 0; i < trace_kept(r); i++)
        count += trace_at(r, i)->what == (int64_t)what;
    return count;
}

/* The counters also have what is too short for a span: some 40 calls of less than a microsecond. */
static enum status compare(struct transport *t, const struct trace *r)
{
    const struct transport_counters *a = &t->counters;
    const double transferred =
        seconds_of(r, TRACE_SEND) + seconds_of(r, TRACE_RECEIVE) + seconds_of(r, TRACE_SUM);

    MUST(fabs(seconds_of(r, TRACE_COMPUTE) - a->computing) < 1e-4);
    MUST(fabs(seconds_of(r, TRACE_WAIT) - a->waiting) < 1e-4);
    MUST(fabs(seconds_of(r, TRACE_SLEEP) - a->sleeping) < 1e-4);
    MUST(fabs(transferred - a->transferring) < 1e-4);
    MUST(count_of(r, TRACE_ROUND) == 5 && count_of(r, TRACE_SLEEP) == 5);
    MUST(trace_dropped(r) == 0);
    for (int64_t i = 1; i < trace_kept(r); i++) /* one after the other, but for the rounds */
        MUST(trace_at(r, i)->what == TRACE_ROUND || trace_at(r, i - 1)->what == TRACE_ROUND ||
             trace_at(r, i)->start >= trace_at(r, i - 1)->end - 1e-9);
    return STATUS_OK;
}

static enum status send_trace(struct transport *t, const struct trace *r)
{
    size_t bytes = 0;
    void *data = trace_pack(r, &bytes);
    const enum status s = transport_send(t, 0, KIND_TRACE, data, bytes);

    mem_free(data);
    return s;
}

static enum status take_trace(struct transport *t, int from, void *room, size_t capacity)
{
    struct envelope e;
    struct trace *theirs = NULL;

    TRY(transport_recv(t, from, KIND_TRACE, &e, room, capacity));
    TRY(trace_unpack(room, e.bytes, &theirs));

    const bool is_complete = count_of(theirs, TRACE_ROUND) == 5 &&
                             count_of(theirs, TRACE_COMPUTE) >= 5 && trace_dropped(theirs) == 0;

    trace_free(theirs);
    MUST(is_complete);
    return STATUS_OK;
}

static enum status take_traces(struct transport *t)
{
    const size_t capacity = 100000;
    void *room = mem_alloc((int64_t)capacity, 1);
    enum status s = STATUS_OK;

    for (int from = 0; from < t->size && s == STATUS_OK; from++)
        s = take_trace(t, from, room, capacity);
    mem_free(room);
    return s;
}

static enum status traced(struct transport *t, struct trace *r)
{
    const struct transport_counters clean = {0};

    t->counters = clean;
    trace_attach(t, r);
    transport_compute_begin(t);
    TRY(some_rounds(t));
    transport_compute_end(t);
    trace_attach(t, NULL);
    TRY(compare(t, r));
    TRY(send_trace(t, r));
    return t->rank == 0 ? take_traces(t) : STATUS_OK;
}

static enum status traced_body(void *context, struct transport *t)
{
    struct trace *r = trace_new(0);
    const enum status s = traced(t, r);

    (void)context;
    trace_attach(t, NULL);
    trace_free(r);
    return s;
}

static void traced_test(struct world *w)
{
    expect_run(w, traced_body);
}

static void test_a_trace_is_the_account_in_detail_and_travels(void)
{
    with_worlds(traced_test);
}

TEST_MAIN(TEST(test_a_trace_is_the_account_in_detail_and_travels))
