/*
 * test_trace.c - traces and counters by a clock that the test moves: what the transport keeps, what
 * a full trace leaves out, and the file.
 */
#include <jansson.h>

#include "base/mem.h"
#include "comm/trace.h"
#include "comm/trace_spans.h"
#include "scratch.h"
#include "test.h"

/* --- a transport whose calls take the time that they are told --- */

struct puppet {
    struct transport base;
    double now, waits, works; /* of the next call, in seconds */
};

static void pass(struct transport *t)
{
    struct puppet *p = (struct puppet *)t;

    t->counters.waiting += p->waits;
    p->now += p->waits + p->works;
}

static enum status puppet_send(struct transport *t, int to, int kind, const struct outgoing *parts,
                               int count)
{
    (void)to, (void)kind, (void)parts, (void)count;
    pass(t);
    return STATUS_OK;
}

static enum status puppet_recv(struct transport *t, int from, transport_kinds kinds,
                               struct envelope *e, const struct incoming *parts, int count)
{
    (void)parts, (void)count;
    *e = (struct envelope){.from = from};
    while (kinds != transport_kinds_of(e->kind))
        e->kind++;
    pass(t);
    return STATUS_OK;
}

static enum status puppet_sum_start(struct transport *t, const struct sum *s, sum_ticket ticket)
{
    (void)t, (void)s, (void)ticket;
    return STATUS_OK;
}

static enum status puppet_sum_poll(struct transport *t, sum_ticket ticket, bool *done)
{
    (void)ticket;
    ((struct puppet *)t)->now += 0.2e-6;
    *done = false;
    return STATUS_OK;
}

static enum status puppet_sum_wait(struct transport *t, sum_ticket ticket)
{
    (void)ticket;
    pass(t);
    return STATUS_OK;
}

static void puppet_begin(struct transport *t)
{
    pass(t);
}

static void puppet_end(struct transport *t)
{
    (void)t;
}

/* A second for each operation, as a transport of virtual time would do it. */
static enum status puppet_work(struct transport *t, const struct work *w)
{
    ((struct puppet *)t)->now += w->flops;
    return STATUS_OK;
}

static enum status puppet_sleep(struct transport *t, double seconds)
{
    ((struct puppet *)t)->works = seconds;
    pass(t);
    return STATUS_OK;
}

static double puppet_now(struct transport *t)
{
    return ((struct puppet *)t)->now;
}

static const struct transport_ops puppet_ops = {
    .name = "puppet",
    .send = puppet_send,
    .recv = puppet_recv,
    .sum_start = puppet_sum_start,
    .sum_poll = puppet_sum_poll,
    .sum_wait = puppet_sum_wait,
    .compute_begin = puppet_begin,
    .compute_end = puppet_end,
    .work = puppet_work,
    .sleep = puppet_sleep,
    .now = puppet_now,
};

static struct puppet puppet_new(void)
{
    return (struct puppet){
        .base = {.ops = &puppet_ops, .workers = 2, .size = 3}
    };
}

static void next_call(struct puppet *p, double waits, double works)
{
    p->waits = waits;
    p->works = works;
}

/* A worker that keeps its slot from 1 to 28 seconds; the trace looks from 0 on. */
static void act(struct puppet *p)
{
    struct transport *t = &p->base;
    float x[4] = {0};

    next_call(p, 1, 0);
    transport_compute_begin(t); /* waits 0 .. 1 */
    p->now += 2;                /* computes 1 .. 3 */
    next_call(p, 3, 1);
    transport_recv(t, 1, 0, NULL, NULL, 0); /* waits 3 .. 6, receives 6 .. 7 */
    p->now += 4;                            /* computes 7 .. 11 */
    next_call(p, 2, 0);
    transport_sleep(t, 5); /* sleeps 11 .. 16, waits for the slot 16 .. 18 */
    next_call(p, 0, 1);
    transport_send(t, 1, 0, x, sizeof x); /* 18 .. 19 */
    p->now += 1;                          /* computes 19 .. 20 */
    next_call(p, 4, 2);
    transport_sum(t, &(struct sum){.data = x, .count = 4}); /* waits 20 .. 24, sums 24 .. 26 */
    p->now += 2;                                            /* computes 26 .. 28 */
}

static void expect_span(const struct trace *r, int64_t i, struct span expected)
{
    if (!EXPECT(i < trace_kept(r)))
        return;
    EXPECT_TEXT(trace_name((enum trace_what)trace_at(r, i)->what),
                trace_name((enum trace_what)expected.what));
    EXPECT_NEAR(trace_at(r, i)->start, expected.start, 1e-9);
    EXPECT_NEAR(trace_at(r, i)->end, expected.end, 1e-9);
    EXPECT_INT(trace_at(r, i)->of, expected.of);
}

static void test_the_transport_keeps_what_an_endpoint_did_and_when(void)
{
    static const struct span expected[] = {
        {0,  1,  TRACE_WAIT,    0},
        {1,  3,  TRACE_COMPUTE, 0},
        {3,  6,  TRACE_WAIT,    0},
        {6,  7,  TRACE_RECEIVE, 0},
        {7,  11, TRACE_COMPUTE, 0},
        {11, 16, TRACE_SLEEP,   0},
        {16, 18, TRACE_WAIT,    0},
        {18, 19, TRACE_SEND,    0},
        {19, 20, TRACE_COMPUTE, 0},
        {20, 24, TRACE_WAIT,    0},
        {24, 26, TRACE_SUM,     0},
        {26, 28, TRACE_COMPUTE, 0},
    };
    const int64_t count = sizeof expected / sizeof expected[0];
    struct puppet p = puppet_new();
    struct trace *r = trace_new(0);

    trace_attach(&p.base, r);
    act(&p);
    transport_compute_end(&p.base);
    EXPECT_INT(trace_kept(r), count);
    EXPECT_INT(trace_dropped(r), 0);
    for (int64_t i = 0; i < count; i++)
        expect_span(r, i, expected[i]);
    trace_free(r);
}

static void test_the_account_of_now_has_the_computing_that_goes_on(void)
{
    struct puppet p = puppet_new();

    act(&p);

    const struct transport_counters a = transport_counters_now(&p.base);

    EXPECT_NEAR(a.computing, 2 + 4 + 1 + 2, 1e-9);
    EXPECT_NEAR(a.waiting, 1 + 3 + 2 + 4, 1e-9);
    EXPECT_NEAR(a.transferring, 1 + 1 + 2, 1e-9);
    EXPECT_NEAR(a.sleeping, 5, 1e-9);
    EXPECT_NEAR(p.base.counters.computing, 7, 1e-9);
    transport_compute_end(&p.base);
    EXPECT_NEAR(p.base.counters.computing, 9, 1e-9);
    EXPECT_NEAR(transport_counters_now(&p.base).computing, 9, 1e-9);
}

static void test_a_computation_goes_on_over_calls_of_less_than_a_microsecond(void)
{
    struct puppet p = puppet_new();
    struct trace *r = trace_new(0);
    float x = 0;
    bool done = false;
    sum_ticket ticket = 0;

    trace_attach(&p.base, r);
    transport_compute_begin(&p.base);
    transport_sum_start(&p.base, &(struct sum){.data = &x, .count = 1}, &ticket);
    for (int i = 0; i < 10; i++) {
        p.now += 1;
        transport_sum_poll(&p.base, ticket, &done);
    }
    transport_compute_end(&p.base);
    EXPECT_INT(trace_kept(r), 1);
    expect_span(r, 0, (struct span){0, 10 + 10 * 0.2e-6, TRACE_COMPUTE, 0});
    EXPECT_NEAR(p.base.counters.computing, 10, 1e-9);
    trace_free(r);
}

static void test_virtual_work_is_computing_with_a_slot_and_without(void)
{
    struct puppet p = puppet_new();
    struct trace *r = trace_new(0);

    trace_attach(&p.base, r);
    transport_work(&p.base, &(struct work){.flops = 2}); /* a server has no slot */
    EXPECT_NEAR(p.base.counters.computing, 2, 1e-9);
    transport_compute_begin(&p.base);
    p.now += 1;
    transport_work(&p.base, &(struct work){.flops = 4});
    p.now += 1;
    transport_compute_end(&p.base);
    EXPECT_NEAR(p.base.counters.computing, 8, 1e-9);
    EXPECT_INT(trace_kept(r), 2);
    expect_span(r, 0, (struct span){0, 2, TRACE_COMPUTE, 0});
    expect_span(r, 1, (struct span){2, 8, TRACE_COMPUTE, 0});
    trace_free(r);
}

/* --- the limit --- */

static void test_a_full_trace_keeps_the_first_and_the_latest_and_counts_the_rest(void)
{
    struct puppet p = puppet_new();
    struct trace *r = trace_new(100);

    trace_attach(&p.base, r);
    for (int i = 0; i < 1037; i++)
        trace_span(&p.base, TRACE_ROUND, i, i + 1);
    EXPECT_INT(trace_kept(r), 100);
    EXPECT_INT(trace_dropped(r), 937);
    for (int i = 0; i < 50; i++) {
        expect_span(r, i, (struct span){i, i + 1, TRACE_ROUND, 0});
        expect_span(r, 50 + i, (struct span){987 + i, 988 + i, TRACE_ROUND, 0});
    }
    trace_free(r);
}

static void test_nothing_is_kept_when_nobody_looks(void)
{
    struct puppet p = puppet_new();

    act(&p);
    trace_span(&p.base, TRACE_ROUND, 0, 1);
    trace_count(&p.base, TRACE_STALENESS, 1, 3);
    EXPECT(p.base.trace == NULL);
}

/* --- packing --- */

static struct trace *full_trace(void)
{
    struct puppet p = puppet_new();
    struct trace *r = trace_new(60);

    trace_attach(&p.base, r);
    for (int i = 0; i < 100; i++) {
        p.now = i;
        if (i % 10 == 3)
            trace_count(&p.base, TRACE_STALENESS, i / 10 % 2, i % 7);
        else
            trace_span(&p.base, TRACE_ROUND, i, i + 0.5);
    }
    return r;
}

static void test_a_packed_trace_is_the_same_trace(void)
{
    struct trace *r = full_trace(), *copy = NULL;
    size_t bytes = 0;
    void *data = trace_pack(r, &bytes);

    if (EXPECT_OK(trace_unpack(data, bytes, &copy))) {
        EXPECT_INT(trace_kept(copy), 60);
        EXPECT_INT(trace_dropped(copy), 40);
        for (int64_t i = 0; i < 60; i++)
            expect_span(copy, i, *trace_at(r, i));
    }
    trace_free(copy);
    mem_free(data);
    trace_free(r);
}

static void test_bytes_that_are_no_trace_are_refused(void)
{
    struct trace *r = full_trace(), *copy = NULL;
    size_t bytes = 0;
    unsigned char *data = trace_pack(r, &bytes);

    for (size_t n = 0; n < bytes; n += 7)
        EXPECT_FAILS(trace_unpack(data, n, &copy), STATUS_PEER, "should be a trace");
    data[bytes - 1] ^= 0x40; /* no such thing to do */
    EXPECT_FAILS(trace_unpack(data, bytes, &copy), STATUS_PEER, "should be a trace");
    data[bytes - 1] ^= 0x40;
    data[7] ^= 0x80; /* less than no first ones */
    EXPECT_FAILS(trace_unpack(data, bytes, &copy), STATUS_PEER, "should be a trace");
    EXPECT(copy == NULL);
    mem_free(data);
    trace_free(r);
}

/* --- the file --- */

static double number(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

static const char *string(const json_t *event, const char *key)
{
    const char *s = json_string_value(json_object_get(event, key));

    return s == NULL ? "" : s;
}

/* The events of a thread come in order and each lies in or after what came before it. */
static void expect_nested(const json_t *events, int thread)
{
    double ends[16] = {INFINITY}, last = -INFINITY;
    int depth = 0;

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);
        const double start = number(e, "ts"), end = start + number(e, "dur");

        if (strcmp(string(e, "ph"), "X") != 0 || (int)number(e, "tid") != thread ||
            strcmp(string(e, "cat"), "gap") == 0)
            continue;
        EXPECT(start >= last && end > start);
        last = start;
        while (ends[depth] <= start + 1e-4) /* a tenth of a nanosecond */
            depth--;
        EXPECT(end <= ends[depth] + 1e-4);
        if (EXPECT(depth + 1 < 16))
            ends[++depth] = end;
    }
}

static double total(const json_t *events, const char *name, int thread)
{
    double sum = 0;

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);

        if (strcmp(string(e, "name"), name) == 0 && (int)number(e, "tid") == thread)
            sum += strcmp(string(e, "ph"), "X") == 0 ? number(e, "dur") / 1e6 : 1;
    }
    return sum;
}

static const char *thread_name(const json_t *events, int thread)
{
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);

        if (strcmp(string(e, "name"), "thread_name") == 0 && (int)number(e, "tid") == thread)
            return string(json_object_get(e, "args"), "name");
    }
    return "";
}

static json_t *write_and_read(const struct trace *const *traces)
{
    char *folder = scratch_new(), *path = file_join(folder, "trace.json");
    json_error_t error;
    json_t *file = NULL;

    if (EXPECT_OK(trace_write(path, traces, 3, 2)))
        file = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    EXPECT(file != NULL);
    mem_free(path);
    scratch_remove(folder);
    return file;
}

static void test_the_file_is_chromes_json_with_a_thread_for_each_endpoint(void)
{
    struct puppet p = puppet_new();
    struct trace *worker = trace_new(0), *server = full_trace();
    const struct trace *traces[3] = {worker, NULL, server};

    trace_attach(&p.base, worker);
    act(&p);
    transport_compute_end(&p.base);
    /* Rounds whose ends lie inside computations, and an evaluation in one of them. */
    trace_span(&p.base, TRACE_ROUND, 0.5, 10);
    trace_span(&p.base, TRACE_ROUND, 10, 19.3);
    trace_span(&p.base, TRACE_EVALUATE, 19.5, 19.9);
    trace_span(&p.base, TRACE_ROUND, 19.3, 27.123456789);

    json_t *file = write_and_read(traces);
    const json_t *events = json_object_get(file, "traceEvents");
    const json_t *left_out = json_object_get(json_object_get(file, "otherData"), "spans left out");

    expect_nested(events, 0);
    expect_nested(events, 2);
    EXPECT_TEXT(thread_name(events, 0), "worker 0");
    EXPECT_TEXT(thread_name(events, 1), "");
    EXPECT_TEXT(thread_name(events, 2), "server");
    EXPECT_NEAR(total(events, "compute", 0), 9, 1e-9);
    EXPECT_NEAR(total(events, "wait", 0), 10, 1e-9);
    EXPECT_NEAR(total(events, "round", 0), 26.623456789, 1e-9);
    EXPECT_NEAR(total(events, "evaluate", 0), 0.4, 1e-9);
    /* The spans 0 .. 29 and 70 .. 99 are there: nothing from 29.5 until 70. */
    EXPECT_NEAR(total(events, "left out", 2), 40.5, 1e-9);
    EXPECT_NEAR(total(events, "left out", 0), 0, 0);
    /* Of rounds 3, 23 and 83; and of 13, 73 and 93. */
    EXPECT_NEAR(total(events, "worker 0: staleness", 2), 3, 0);
    EXPECT_NEAR(total(events, "worker 1: staleness", 2), 3, 0);
    EXPECT_NEAR(total(events, "server: staleness", 2), 0, 0);
    EXPECT_INT((int64_t)number(left_out, "worker 0"), 0);
    EXPECT_INT((int64_t)number(left_out, "server"), 40);
    json_decref(file);
    trace_free(worker);
    trace_free(server);
}

static void test_an_empty_trace_is_a_thread_without_events(void)
{
    struct trace *r = trace_new(0), *copy = NULL;
    const struct trace *traces[3] = {r, NULL, NULL};
    size_t bytes = 0;
    void *data = trace_pack(r, &bytes);
    json_t *file = write_and_read(traces);

    EXPECT_TEXT(thread_name(json_object_get(file, "traceEvents"), 0), "worker 0");
    EXPECT_OK(trace_unpack(data, bytes, &copy));
    EXPECT_INT(trace_kept(copy), 0);
    json_decref(file);
    mem_free(data);
    trace_free(copy);
    trace_free(r);
}

static void test_a_file_that_cannot_be_written_is_an_error_that_names_it(void)
{
    struct trace *r = full_trace();
    const struct trace *traces[1] = {r};

    EXPECT_FAILS(trace_write("/no/such/folder/trace.json", traces, 1, 1), STATUS_IO,
                 "/no/such/folder/trace.json");
    trace_free(r);
}

TEST_MAIN(TEST(test_the_transport_keeps_what_an_endpoint_did_and_when),
          TEST(test_the_account_of_now_has_the_computing_that_goes_on),
          TEST(test_a_computation_goes_on_over_calls_of_less_than_a_microsecond),
          TEST(test_virtual_work_is_computing_with_a_slot_and_without),
          TEST(test_a_full_trace_keeps_the_first_and_the_latest_and_counts_the_rest),
          TEST(test_nothing_is_kept_when_nobody_looks), TEST(test_a_packed_trace_is_the_same_trace),
          TEST(test_bytes_that_are_no_trace_are_refused),
          TEST(test_the_file_is_chromes_json_with_a_thread_for_each_endpoint),
          TEST(test_an_empty_trace_is_a_thread_without_events),
          TEST(test_a_file_that_cannot_be_written_is_an_error_that_names_it))
