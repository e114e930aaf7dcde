/*
 * test_transport_time.c - what every transport owes: time, counters, slots, and abort.
 */
#include <stdatomic.h>
#include <time.h>

#include "comm/world.h"
#include "worlds.h"

/* --- time and counters --- */

static enum status sleep_body(void *context, struct transport *t)
{
    const double before = transport_now(t);

    (void)context;
    TRY(transport_sleep(t, 0.05));

    const double slept = transport_now(t) - before;

    MUST(slept >= 0.05 && slept < 0.55); /* half a second for a machine with other work */
    MUST(fabs(t->counters.sleeping - slept) < 0.01);
    TRY(transport_sleep(t, 0.0));
    return STATUS_OK;
}

static void sleep_test(struct world *w)
{
    expect_run(w, sleep_body);
}

static void test_a_sleep_takes_its_time(void)
{
    with_worlds(sleep_test);
}

static enum status account_body(void *context, struct transport *t)
{
    float x[12] = {0};

    (void)context;
    TRY(transport_send(t, t->rank, KIND_A, x, 40));
    TRY(transport_recv(t, t->rank, KIND_A, NULL, x, sizeof x));
    MUST(t->counters.bytes_sent == 40 && t->counters.messages_sent == 1);
    TRY(transport_send(t, t->rank, TRANSPORT_CONTROL, x, 40));
    TRY(transport_recv(t, t->rank, TRANSPORT_CONTROL, NULL, x, sizeof x));
    MUST(t->counters.bytes_sent == 40 && t->counters.messages_sent == 1);
    if (is_server(t))
        return STATUS_OK;
    TRY(transport_sum(t, &(struct sum){.data = x, .count = 12, .is_control = true}));
    TRY(transport_barrier(t));
    MUST(t->counters.bytes_sent == 40);
    if (12 % t->workers != 0)
        return STATUS_OK;
    TRY(transport_sum(t, &(struct sum){.data = x, .count = 12}));
    /* Each chunk but one's own goes out, and one's own comes back to all others: 2 (W-1)/W. */
    MUST(t->counters.bytes_sent == 40 + 2 * (t->workers - 1) * 48 / t->workers);
    MUST(t->counters.messages_sent == 1 + 2 * (t->workers - 1));
    return STATUS_OK;
}

static void account_test(struct world *w)
{
    expect_run(w, account_body);
}

static void test_the_account_counts_what_was_sent_and_no_control(void)
{
    with_worlds(account_test);
}

static enum status spent_body(void *context, struct transport *t)
{
    const int peer = (t->rank + 1) % t->size;

    (void)context;
    transport_compute_begin(t);
    for (const double until = transport_now(t) + 0.03; transport_now(t) < until;)
        continue;
    TRY(transport_sleep(t, 0.04));
    transport_compute_end(t);
    if (t->rank == 0 && peer == 1) {
        TRY(transport_recv(t, peer, KIND_B, NULL, NULL, 0)); /* it is there and about to wait */
        TRY(transport_sleep(t, 0.05));
        TRY(transport_send(t, peer, KIND_A, NULL, 0));
    } else if (t->rank == 1) {
        TRY(transport_send(t, 0, KIND_B, NULL, 0));
        TRY(transport_recv(t, 0, KIND_A, NULL, NULL, 0));
        MUST(t->counters.waiting >= 0.01);
    }
    MUST(t->counters.computing >= 0.03);
    MUST(t->counters.sleeping >= 0.04 && t->counters.computing < 5.0);
    return STATUS_OK;
}

static void spent_test(struct world *w)
{
    if (w->workers <= 3)
        expect_run(w, spent_body);
}

static void test_computing_waiting_and_sleeping_are_told_apart(void)
{
    with_worlds(spent_test);
}

/* Computes for a while; the clock is the transport's. */
static void compute(struct transport *t, double seconds)
{
    for (const double until = transport_now(t) + seconds; transport_now(t) < until;)
        continue;
}

enum { HELD_ROUNDS = 10 };

/* One worker is late in every round, and the others wait for it with their slots given back. */
static enum status held_rounds(struct transport *t)
{
    float x[3000] = {0};
    const int next = (t->rank + 1) % t->workers;

    for (int round = 0; round < HELD_ROUNDS; round++) {
        compute(t, 0.001);
        if (t->rank == round % t->workers)
            TRY(transport_sleep(t, 0.01));
        TRY(transport_send(t, next, KIND_A, x, sizeof x));
        TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, NULL, x, sizeof x));
        TRY(transport_sum(t, &(struct sum){.data = x, .count = 3000}));
    }
    return STATUS_OK;
}

/* What the four counters have in common is nothing, and together they are all the time. */
static enum status held_body(void *context, struct transport *t)
{
    const double first = transport_now(t);

    (void)context;
    if (is_server(t))
        return STATUS_OK;
    transport_compute_begin(t);

    const double second = transport_now(t);

    TRY(held_rounds(t));
    compute(t, 0.005);

    const struct transport_counters before = t->counters;
    const double third = transport_now(t);
    const struct transport_counters a = transport_counters_now(t);
    const double fourth = transport_now(t),
                 all = a.computing + a.waiting + a.transferring + a.sleeping;

    /* From between first and second until between third and fourth; the rest is rounding. */
    MUST(all >= third - second - 1e-9 && all <= fourth - first + 1e-9);
    MUST(a.computing >= before.computing + 0.005 - 1e-9);
    MUST(a.computing >= HELD_ROUNDS * 0.001 + 0.005 - 1e-6);
    MUST(a.waiting == before.waiting && a.bytes_sent == before.bytes_sent);
    transport_compute_end(t);
    MUST(t->counters.computing >= a.computing);
    return STATUS_OK;
}

static void held_test(struct world *w)
{
    expect_run(w, held_body);
}

static void test_a_worker_that_keeps_its_slot_is_not_computing_while_it_waits(void)
{
    with_worlds(held_test); /* some with more workers than slots */
}

/* The processor's time of this thread. */
static double thread_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first is late; who waits for it leaves the core to others. */
static enum status idle_body(void *context, struct transport *t)
{
    const bool is_late = t->rank == 0;
    const double began = thread_seconds();
    int64_t x = 0;

    (void)context;
    if (is_server(t)) {
        TRY(transport_recv(t, 0, KIND_A, NULL, NULL, 0));
        MUST(thread_seconds() - began < 0.1);
        return STATUS_OK;
    }
    transport_compute_begin(t);
    if (is_late)
        TRY(transport_sleep(t, 0.25));
    TRY(transport_sum(t, &(struct sum){.data = &x, .count = 1, .type = SUM_INT64}));
    if (is_late)
        TRY(transport_sleep(t, 0.25));
    for (int to = 1; to < t->size && is_late; to++)
        TRY(transport_send(t, to, KIND_A, NULL, 0));
    if (!is_late)
        TRY(transport_recv(t, 0, KIND_A, NULL, NULL, 0));
    transport_compute_end(t);
    MUST(thread_seconds() - began < 0.1);
    return STATUS_OK;
}

static void idle_test(struct world *w)
{
    expect_run(w, idle_body);
}

static void test_who_waits_long_uses_no_core(void)
{
    with_worlds(idle_test);
}

/* The time of one endpoint means the same to another: no message comes before it was sent. */
static enum status causal_body(void *context, struct transport *t)
{
    const int next = (t->rank + 1) % t->size;

    (void)context;
    for (int round = 0; round < 200; round++) {
        const double sent = transport_now(t);
        double theirs = 0;

        TRY(transport_send(t, next, KIND_A, &sent, sizeof sent));
        TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, NULL, &theirs, sizeof theirs));
        MUST(transport_now(t) >= theirs && theirs >= 0);
    }
    return STATUS_OK;
}

static void causal_test(struct world *w)
{
    expect_run(w, causal_body);
}

static void test_time_is_the_same_for_all_endpoints_of_a_host(void)
{
    with_worlds(causal_test);
}

/* --- slots --- */

struct slot_watch {
    atomic_int now, most, slots;
};

static void slot_enter(struct slot_watch *w)
{
    const int now = atomic_fetch_add(&w->now, 1) + 1;
    int most = atomic_load(&w->most);

    while (most < now && !atomic_compare_exchange_weak(&w->most, &most, now))
        continue;
}

static void slot_leave(struct slot_watch *w)
{
    atomic_fetch_sub(&w->now, 1);
}

/* Every wait is a place where others may compute; before and after it one of the slots is ours. */
static enum status slots_body(void *context, struct transport *t)
{
    struct slot_watch *w = context;
    const int next = (t->rank + 1) % t->size;
    int64_t one = 1;

    for (int round = 0; round < 8; round++) {
        transport_compute_begin(t);
        slot_enter(w);
        TRY(transport_send(t, next, KIND_A, NULL, 0));
        slot_leave(w);
        TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, NULL, NULL, 0));
        slot_enter(w);
        slot_leave(w);
        TRY(transport_sleep(t, 0.0005));
        slot_enter(w);
        slot_leave(w);
        if (!is_server(t)) {
            one = 1;
            TRY(transport_sum(t, &(struct sum){.data = &one, .count = 1, .type = SUM_INT64}));
            MUST(one == t->workers);
        }
        slot_enter(w);
        for (const double until = transport_now(t) + 0.0002; transport_now(t) < until;)
            continue;
        slot_leave(w);
        transport_compute_end(t);
    }
    return STATUS_OK;
}

static void test_no_more_compute_at_once_than_there_are_slots(void)
{
    for (int slots = 1; slots <= 3; slots++) {
        const struct world_request request = {
            .workers = workers_or(7),
            .server = WORLD_SERVER_THREAD,
            .slots = slots,
        };
        struct slot_watch watch = {0};
        struct world *w = NULL;

        if (EXPECT_OK(world_open(&request, &w)))
            EXPECT_OK(world_run(w, slots_body, &watch));
        EXPECT(atomic_load(&watch.most) >= 1 && atomic_load(&watch.most) <= slots);
        world_close(w);
    }
}

/* --- abort --- */

enum blocked { BLOCKED_RECV, BLOCKED_SUM, BLOCKED_BARRIER, BLOCKED_SLEEP, BLOCKED_SLOT };

static enum status block(struct transport *t, enum blocked how)
{
    static const int64_t count = 100000;
    enum status s = STATUS_OK;

    switch (how) {
    case BLOCKED_RECV:
        return transport_recv(t, TRANSPORT_ANY, KIND_B, NULL, NULL, 0);
    case BLOCKED_SUM: {
        float *x = MEM_NEW_N(float, count);

        s = transport_sum(t, &(struct sum){.data = x, .count = count});
        mem_free(x); /* nobody may touch it any more */
        return s;
    }
    case BLOCKED_BARRIER:
        return transport_barrier(t);
    case BLOCKED_SLEEP:
        return transport_sleep(t, 60);
    case BLOCKED_SLOT:
        transport_compute_begin(t);
        s = transport_recv(t, TRANSPORT_ANY, KIND_B, NULL, NULL, 0);
        transport_compute_end(t);
        return s;
    }
    BUG("no such way to be blocked");
}

/* The last endpoint, or the last worker where workers wait for each other, fails after the others
 * are blocked. */
static enum status abort_body(void *context, struct transport *t)
{
    const enum blocked how = *(const enum blocked *)context;
    const bool in_sum = how == BLOCKED_SUM || how == BLOCKED_BARRIER;

    if (t->rank == (in_sum ? t->workers : t->size) - 1) {
        TRY(transport_sleep(t, 0.05));
        return FAIL(STATUS_DIVERGED, "the first text %d", (int)how);
    }

    const double began = transport_now(t);
    const enum status s = block(t, in_sum && is_server(t) ? BLOCKED_RECV : how);

    if (s != STATUS_PEER || strstr(status_message(), "the first text") == NULL)
        return FAIL(STATUS_IO, "a woken call answered %s (%s)", status_text(s), status_message());
    if (transport_now(t) - began > 1.0)
        return FAIL(STATUS_IO, "it took %.3f s to wake up", transport_now(t) - began);
    /* What comes later answers the same. */
    if (transport_send(t, 0, KIND_A, NULL, 0) != STATUS_PEER ||
        transport_sleep(t, 60) != STATUS_PEER)
        return FAIL(STATUS_IO, "a call after the abort went on");
    return FAIL(STATUS_IO, "a later text");
}

static void abort_with(int workers, enum world_server server)
{
    for (enum blocked how = BLOCKED_RECV; how <= BLOCKED_SLOT; how++) {
        const struct world_request request = {.workers = workers, .server = server, .slots = 1};
        struct world *w = NULL;
        char expected[32];

        snprintf(expected, sizeof expected, "the first text %d", (int)how);
        if (!EXPECT_OK(world_open(&request, &w)))
            return;
        EXPECT_INT(world_run(w, abort_body, &how), STATUS_DIVERGED);
        EXPECT_TEXT(status_message(), w->process == 0 ? expected : "");
        world_close(w);
    }
}

static void abort_in(int workers)
{
    abort_with(workers, WORLD_NO_SERVER);
    abort_with(workers, WORLD_SERVER_THREAD);
}

static void test_abort_wakes_everyone_and_the_first_text_is_the_answer(void)
{
    with_workers(abort_in);
}

/* Large messages and sums are under way everywhere when it happens. */
static enum status storm_body(void *context, struct transport *t)
{
    enum { COUNT = 300000 };
    float *x = context;
    sum_ticket ticket = 0;

    for (int round = 0; round < 1000; round++) {
        if (t->rank == t->workers - 1 && round == 5)
            return FAIL(STATUS_DIVERGED, "in the storm");
        TRY(transport_send(t, (t->rank + 1) % t->workers, KIND_A, x, COUNT * sizeof *x));
        TRY(transport_send(t, (t->rank + 2) % t->workers, KIND_B, x, COUNT * sizeof *x));
        TRY(transport_sum_start(t, &(struct sum){.data = x, .count = COUNT}, &ticket));
        TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, NULL, x + COUNT, COUNT * sizeof *x));
        TRY(transport_sum_wait(t, ticket));
    }
    return STATUS_OK;
}

static enum status storm_owner(void *context, struct transport *t)
{
    float *x = MEM_NEW_N(float, 600000);

    (void)context;

    enum status s = storm_body(x, t);

    for (int i = 0; i < TRANSPORT_SUMS_MAX; i++)
        if (t->sums[i].is_open && transport_sum_wait(t, t->sums[i].ticket) == STATUS_OK)
            s = FAIL(STATUS_IO, "a sum went on after the abort");
    mem_free(x);
    return s;
}

static void test_abort_in_the_middle_of_large_transfers_leaves_nothing_behind(void)
{
    for (int repeat = 0; repeat < 3; repeat++) {
        struct world *w = NULL;

        if (!EXPECT_OK(world_open(&(struct world_request){.workers = workers_or(4)}, &w)))
            return;
        EXPECT_INT(world_run(w, storm_owner, NULL), STATUS_DIVERGED);
        EXPECT_TEXT(status_message(), w->process == 0 ? "in the storm" : "");
        world_close(w);
    }
}

/* All fail at once: one of the texts, once. */
static enum status all_fail_body(void *context, struct transport *t)
{
    (void)context;
    return FAIL(STATUS_DIVERGED, "endpoint %d failed", t->rank);
}

static void all_fail_test(struct world *w)
{
    EXPECT_INT(world_run(w, all_fail_body, NULL), STATUS_DIVERGED);
    EXPECT(w->process == 0 ? strncmp(status_message(), "endpoint ", 9) == 0 : !is_told());
}

static void test_when_all_fail_one_text_is_told(void)
{
    with_worlds(all_fail_test);
}

TEST_MAIN(TEST(test_a_sleep_takes_its_time),
          TEST(test_the_account_counts_what_was_sent_and_no_control),
          TEST(test_computing_waiting_and_sleeping_are_told_apart),
          TEST(test_a_worker_that_keeps_its_slot_is_not_computing_while_it_waits),
          TEST(test_who_waits_long_uses_no_core),
          TEST(test_time_is_the_same_for_all_endpoints_of_a_host),
          TEST(test_no_more_compute_at_once_than_there_are_slots),
          TEST(test_abort_wakes_everyone_and_the_first_text_is_the_answer),
          TEST(test_abort_in_the_middle_of_large_transfers_leaves_nothing_behind),
          TEST(test_when_all_fail_one_text_is_told))
