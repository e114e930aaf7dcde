/*
 * test_transport_tickets.c - what every transport owes when several sums of a worker are under way:
 * the bits of one after the other, in whatever order they are waited for; and what ends them.
 */
#include "base/rng.h"
#include "comm/world.h"
#include "sum_case.h"
#include "worlds.h"

enum { MAX_COUNT = 20001, RANDOM_SUMS = 200 };

/* Sums of a worker, in places that are used again. */
struct ticket_case {
    struct sum sums[TRANSPORT_SUMS_MAX];
    sum_ticket tickets[TRANSPORT_SUMS_MAX];
    bool is_open[TRANSPORT_SUMS_MAX];
    void *rooms[TRANSPORT_SUMS_MAX];
};

static void ticket_case_init(struct ticket_case *c)
{
    *c = (struct ticket_case){0};
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
        c->rooms[i] = mem_alloc(MAX_COUNT, sizeof(double));
}

static void ticket_case_release(struct ticket_case *c)
{
    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
        mem_free(c->rooms[i]);
}

/* The n-th sum of a run: other types and sizes follow one another, and some are control. */
static enum status start_nth(struct ticket_case *c, struct transport *t, int64_t n)
{
    static const int64_t counts[] = {1000, 0, 1, MAX_COUNT, 7, 4097, 9999};
    const int place = (int)(n % TRANSPORT_SUMS_MAX);
    struct sum *s = &c->sums[place];

    *s = (struct sum){
        .data = c->rooms[place],
        .count = counts[n % 7],
        .type = (enum sum_type)(n % 3),
        .is_control = n % 5 == 2,
    };
    sum_fill(s, t->rank, n * 31);
    TRY(transport_sum_start(t, s, &c->tickets[place]));
    c->is_open[place] = true;
    return STATUS_OK;
}

static enum status wait_for_nth(struct ticket_case *c, struct transport *t, int64_t n)
{
    const int place = (int)(n % TRANSPORT_SUMS_MAX);

    TRY(transport_sum_wait(t, c->tickets[place]));
    c->is_open[place] = false;
    MUST(sum_is_right(&c->sums[place], t->workers, n * 31));
    return STATUS_OK;
}

typedef enum status ticket_body(struct ticket_case *c, struct transport *t);

/* Workers only. */
static enum status with_case(struct transport *t, ticket_body *body)
{
    struct ticket_case c;

    if (is_server(t))
        return STATUS_OK;
    ticket_case_init(&c);

    const enum status s = body(&c, t);

    ticket_case_release(&c);
    return s;
}

/* --- the order of waits --- */

static enum status reversed(struct ticket_case *c, struct transport *t)
{
    for (int64_t n = 0; n < 5 * TRANSPORT_SUMS_MAX; n += TRANSPORT_SUMS_MAX) {
        for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
            TRY(start_nth(c, t, n + i));
        for (int i = TRANSPORT_SUMS_MAX; i-- > 0;)
            TRY(wait_for_nth(c, t, n + i));
    }
    return STATUS_OK;
}

static enum status reversed_body(void *context, struct transport *t)
{
    (void)context;
    return with_case(t, reversed);
}

static void reversed_test(struct world *w)
{
    expect_run(w, reversed_body);
    expect_run(w, reversed_body); /* tickets go on where a world runs again */
}

static void test_sums_of_all_types_and_sizes_may_be_waited_for_in_reverse_order(void)
{
    with_worlds(reversed_test);
}

/* Worker 0 begins with the first, worker 1 with the second, ... */
static enum status differing(struct ticket_case *c, struct transport *t)
{
    for (int64_t n = 0; n < 5 * TRANSPORT_SUMS_MAX; n += TRANSPORT_SUMS_MAX) {
        for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
            TRY(start_nth(c, t, n + i));
        for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
            TRY(wait_for_nth(c, t, n + (i + t->rank) % TRANSPORT_SUMS_MAX));
    }
    return STATUS_OK;
}

static enum status differing_body(void *context, struct transport *t)
{
    (void)context;
    return with_case(t, differing);
}

static void differing_test(struct world *w)
{
    expect_run(w, differing_body);
}

static void test_each_worker_may_wait_in_an_order_of_its_own(void)
{
    with_worlds(differing_test);
}

/* --- polls --- */

/* Asks for the last one only: all of them come to their end. */
static enum status polled(struct ticket_case *c, struct transport *t)
{
    bool done = false;

    for (int n = 0; n < TRANSPORT_SUMS_MAX; n++)
        TRY(start_nth(c, t, n));
    while (!done)
        TRY(transport_sum_poll(t, c->tickets[TRANSPORT_SUMS_MAX - 1], &done));
    for (int n = 0; n < TRANSPORT_SUMS_MAX; n++)
        for (done = false; !done;)
            TRY(transport_sum_poll(t, c->tickets[n], &done));
    for (int n = 0; n < TRANSPORT_SUMS_MAX; n++)
        TRY(wait_for_nth(c, t, n));
    return STATUS_OK;
}

static enum status polled_body(void *context, struct transport *t)
{
    (void)context;
    TRY(with_case(t, polled));
    return with_case(t, polled);
}

static void polled_test(struct world *w)
{
    expect_run(w, polled_body);
}

static void test_polls_alone_bring_all_sums_to_their_end(void)
{
    with_worlds(polled_test);
}

/* --- what is between them --- */

static enum status interrupted(struct ticket_case *c, struct transport *t)
{
    for (int64_t n = 0; n < 3 * TRANSPORT_SUMS_MAX; n += 2) {
        TRY(send_number(t, (t->rank + 1) % t->workers, KIND_A, (int)n / 2));
        TRY(start_nth(c, t, n));
        TRY(transport_barrier(t));
        TRY(start_nth(c, t, n + 1));
        TRY(expect_number(t, (t->rank + t->workers - 1) % t->workers, KIND_A, (int)n / 2));
        TRY(wait_for_nth(c, t, n + 1));
        TRY(transport_barrier(t));
        TRY(wait_for_nth(c, t, n));
    }
    return STATUS_OK;
}

static enum status interrupted_body(void *context, struct transport *t)
{
    (void)context;
    return with_case(t, interrupted);
}

static void interrupted_test(struct world *w)
{
    expect_run(w, interrupted_body);
}

static void test_barriers_and_messages_go_on_between_sums_under_way(void)
{
    with_worlds(interrupted_test);
}

static enum status counted_body(void *context, struct transport *t)
{
    enum { COUNT = 360 }; /* the chunks of 1, 2, 3, 5 and 9 workers are equal */
    float x[2 * COUNT] = {0};
    double y[COUNT] = {0};
    const struct sum sums[3] = {
        {.data = x,         .count = COUNT, .type = SUM_FLOAT,  .is_control = true },
        {.data = y,         .count = COUNT, .type = SUM_DOUBLE, .is_control = false},
        {.data = x + COUNT, .count = COUNT, .type = SUM_FLOAT,  .is_control = true },
    };
    const int64_t before = t->counters.bytes_sent, others = t->workers - 1;
    sum_ticket tickets[3] = {0};

    (void)context;
    if (is_server(t))
        return STATUS_OK;
    for (int i = 0; i < 3; i++)
        TRY(transport_sum_start(t, &sums[i], &tickets[i]));
    for (int i = 2; i >= 0; i--)
        TRY(transport_sum_wait(t, tickets[i]));
    MUST(t->counters.bytes_sent - before ==
         2 * others * (COUNT / t->workers) * (int64_t)sizeof(double));
    return STATUS_OK;
}

static void counted_test(struct world *w)
{
    expect_run(w, counted_body);
}

static void test_of_sums_under_way_only_the_algorithms_own_are_counted(void)
{
    with_worlds(counted_test);
}

/* --- any order of calls --- */

struct random_state {
    struct rng rng;
    uint64_t calls;
    int64_t started;
};

/* One of the worker's sums under way, or -1. */
static int64_t random_open(const struct ticket_case *c, struct random_state *r)
{
    int64_t open[TRANSPORT_SUMS_MAX];
    int count = 0;

    for (int64_t n = r->started - TRANSPORT_SUMS_MAX; n < r->started; n++)
        if (n >= 0 && c->is_open[n % TRANSPORT_SUMS_MAX])
            open[count++] = n;
    return count == 0 ? -1 : open[rng_below(&r->rng, r->calls++, 1, count)];
}

static enum status random_call(struct ticket_case *c, struct transport *t, struct random_state *r)
{
    const double draw = rng_uniform(&r->rng, r->calls++, 0);
    const bool has_place = !c->is_open[r->started % TRANSPORT_SUMS_MAX];
    const int64_t n = random_open(c, r);
    bool done = false;

    if (has_place && r->started < RANDOM_SUMS && (draw < 0.5 || n < 0))
        return start_nth(c, t, r->started++);
    if (draw < 0.55)
        return transport_sleep(t, rng_uniform(&r->rng, r->calls++, 2) * 1e-3);
    if (n < 0)
        return STATUS_OK;
    if (draw < 0.75)
        return transport_sum_poll(t, c->tickets[n % TRANSPORT_SUMS_MAX], &done);
    return wait_for_nth(c, t, n);
}

static enum status random_calls(struct ticket_case *c, struct transport *t)
{
    struct random_state r = {.rng = rng_make(7, RNG_TEST, (uint32_t)t->rank)};

    while (r.started < RANDOM_SUMS || random_open(c, &r) >= 0)
        TRY(random_call(c, t, &r));
    return STATUS_OK;
}

/* The slot is taken by every other worker, so that both ways of parking are met. */
static enum status random_body(void *context, struct transport *t)
{
    (void)context;
    if (t->rank % 2 == 0)
        transport_compute_begin(t);

    const enum status s = with_case(t, random_calls);

    if (t->rank % 2 == 0)
        transport_compute_end(t);
    return s;
}

static void random_test(struct world *w)
{
    expect_run(w, random_body);
}

static void test_any_order_of_starts_polls_waits_and_sleeps_gives_the_same_bits(void)
{
    with_worlds(random_test);
}

/* --- failures --- */

/* A wait that has answered an error has given all vectors back: they are freed after the first. */
static enum status aborted(struct ticket_case *c, struct transport *t)
{
    for (int64_t n = 0;; n += TRANSPORT_SUMS_MAX / 2) {
        for (int i = 0; i < TRANSPORT_SUMS_MAX / 2; i++)
            TRY(start_nth(c, t, n + i));
        if (n > 40 && t->rank == t->workers - 1)
            return FAIL(STATUS_DIVERGED, "with sums under way");
        for (int i = TRANSPORT_SUMS_MAX / 2; i-- > 0;)
            TRY(wait_for_nth(c, t, n + i));
    }
}

/* The one who fails must wait for its sums, too, before its vectors are freed. */
static enum status aborted_case(struct ticket_case *c, struct transport *t)
{
    const enum status s = aborted(c, t);

    if (s == STATUS_DIVERGED) {
        transport_abort(t, s, status_message());
        for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
            if (c->is_open[i])
                MUST(transport_sum_wait(t, c->tickets[i]) == STATUS_PEER);
    }
    return s;
}

static enum status aborted_body(void *context, struct transport *t)
{
    (void)context;
    return with_case(t, aborted_case);
}

static void aborted_test(struct world *w)
{
    EXPECT_INT(world_run(w, aborted_body, NULL), STATUS_DIVERGED);
    EXPECT_TEXT(status_message(), w->process == 0 ? "with sums under way" : "");
}

static void test_an_abort_ends_all_sums_under_way(void)
{
    with_worlds(aborted_test);
}

/*
 * The second of three sums is another one on the last worker. The vectors are small: Open MPI 4.1
 * writes beyond the room of a message of more than 4 KB when more is sent over shared memory (CMA).
 */
static enum status mismatched(struct ticket_case *c, struct transport *t)
{
    const bool is_last = t->rank == t->workers - 1;

    for (int i = 0; i < 3; i++) {
        c->sums[i] = (struct sum){.data = c->rooms[i], .count = i == 1 && is_last ? 900 : 500};
        TRY(transport_sum_start(t, &c->sums[i], &c->tickets[i]));
    }
    for (int i = 2; i >= 0; i--)
        TRY(transport_sum_wait(t, c->tickets[i]));
    return STATUS_OK;
}

static enum status mismatched_body(void *context, struct transport *t)
{
    (void)context;
    return with_case(t, mismatched);
}

static void mismatched_test(struct world *w)
{
    char last[32];

    if (w->workers == 1) {
        expect_run(w, mismatched_body);
        return;
    }
    snprintf(last, sizeof last, "worker %d", w->workers - 1);
    EXPECT_INT(world_run(w, mismatched_body, NULL), STATUS_PEER);
    if (w->process != 0)
        return;
    EXPECT(strstr(status_message(), "out of step") != NULL);
    EXPECT(strstr(status_message(), last) != NULL);
}

static void test_workers_that_sum_different_vectors_are_named(void)
{
    with_worlds(mismatched_test);
}

TEST_MAIN(TEST(test_sums_of_all_types_and_sizes_may_be_waited_for_in_reverse_order),
          TEST(test_each_worker_may_wait_in_an_order_of_its_own),
          TEST(test_polls_alone_bring_all_sums_to_their_end),
          TEST(test_barriers_and_messages_go_on_between_sums_under_way),
          TEST(test_of_sums_under_way_only_the_algorithms_own_are_counted),
          TEST(test_any_order_of_starts_polls_waits_and_sleeps_gives_the_same_bits),
          TEST(test_an_abort_ends_all_sums_under_way),
          TEST(test_workers_that_sum_different_vectors_are_named))
