/*
 * test_transport_sums.c - what every transport owes: sums to the bit of the loop in rank order,
 * and barriers.
 */
#include "comm/world.h"
#include "sum_case.h"
#include "worlds.h"

/* --- sums --- */

static const int64_t sum_counts[] = {0, 1, 2, 7, 1000, 61706};

static enum status sum_in(struct transport *t, void *room, int64_t count, enum sum_type type)
{
    const struct sum s = {.data = room, .count = count, .type = type};

    sum_fill(&s, t->rank, 0);
    TRY(transport_sum(t, &s));
    MUST(sum_is_right(&s, t->workers, 0));
    return STATUS_OK;
}

/* A server does something else meanwhile: it is not asked. */
static enum status sums_in(struct transport *t, void *room)
{
    for (size_t k = 0; k < sizeof sum_counts / sizeof sum_counts[0]; k++) {
        TRY(sum_in(t, room, sum_counts[k], SUM_FLOAT));
        TRY(sum_in(t, room, sum_counts[k], SUM_DOUBLE));
        TRY(sum_in(t, room, sum_counts[k], SUM_INT64));
    }
    return STATUS_OK;
}

static enum status sums_body(void *context, struct transport *t)
{
    void *room = mem_alloc(61706, sizeof(double));
    enum status s = STATUS_OK;

    (void)context;
    if (is_server(t))
        s = transport_recv(t, 0, KIND_DONE, NULL, NULL,
                           0); /* waits in the wire while the workers sum */
    else
        s = sums_in(t, room);
    for (int to = t->workers; s == STATUS_OK && t->rank == 0 && to < t->size; to++)
        s = transport_send(t, to, KIND_DONE, NULL, 0);
    mem_free(room);
    return s;
}

static void sums_test(struct world *w)
{
    expect_run(w, sums_body);
    expect_run(w, sums_body); /* a world runs more than once */
}

static void test_sums_of_every_type_are_those_of_the_loop_in_rank_order(void)
{
    with_worlds(sums_test);
}

static enum status large_sum_body(void *context, struct transport *t)
{
    const int64_t count = 4400003; /* 17.6 MB, and no multiple of anything */
    float *x = MEM_NEW_N(float, count);
    const enum status s = sum_in(t, x, count, SUM_FLOAT);

    (void)context;
    mem_free(x);
    return s;
}

static void test_a_large_sum_is_right_in_every_element(void)
{
    struct world *w = NULL;

    if (EXPECT_OK(world_open(&(struct world_request){.workers = workers_or(3)}, &w)))
        expect_run(w, large_sum_body);
    world_close(w);
}

/* Starts, computes, asks now and then, and waits; with messages on the way at the same time. */
static enum status polled_body(void *context, struct transport *t)
{
    float x[1001];
    const struct sum s = {.data = x, .count = 1001, .type = SUM_FLOAT};
    bool done = false;
    sum_ticket ticket = 0;

    (void)context;
    for (int round = 0; round < 30; round++) {
        TRY(send_number(t, (t->rank + 1) % t->workers, KIND_A, round));
        sum_fill(&s, t->rank, round);
        TRY(transport_sum_start(t, &s, &ticket));
        for (int k = 0; k < 5 && !done; k++)
            TRY(transport_sum_poll(t, ticket, &done));
        TRY(expect_number(t, (t->rank + t->workers - 1) % t->workers, KIND_A, round));
        TRY(transport_sum_wait(t, ticket));
        MUST(sum_is_right(&s, t->workers, round));
    }
    return STATUS_OK;
}

static void polled_test(struct world *w)
{
    if (w->size == w->workers)
        expect_run(w, polled_body);
}

static void test_a_sum_may_be_polled_while_messages_go_on(void)
{
    with_worlds(polled_test);
}

/* Nobody leaves a barrier before all have entered it. */
static enum status barrier_body(void *context, struct transport *t)
{
    (void)context;
    if (is_server(t))
        return STATUS_OK;
    for (int round = 0; round < 3; round++) {
        int64_t entered = 0, last = 0;

        if (t->rank == round % t->workers)
            TRY(transport_sleep(t, 0.02));
        /* Clocks of one host agree; the latest entry is the sum over the one who slept. */
        entered = (int64_t)(clock_seconds() * 1e9);
        last = t->rank == round % t->workers ? entered : 0;
        TRY(transport_barrier(t));

        const int64_t left = (int64_t)(clock_seconds() * 1e9);

        TRY(transport_sum(t, &(struct sum){.data = &last, .count = 1, .type = SUM_INT64}));
        MUST(left >= last);
    }
    return STATUS_OK;
}

static void barrier_test(struct world *w)
{
    expect_run(w, barrier_body);
}

static void test_nobody_leaves_a_barrier_before_the_last_has_come(void)
{
    with_worlds(barrier_test);
}

TEST_MAIN(TEST(test_sums_of_every_type_are_those_of_the_loop_in_rank_order),
          TEST(test_a_large_sum_is_right_in_every_element),
          TEST(test_a_sum_may_be_polled_while_messages_go_on),
          TEST(test_nobody_leaves_a_barrier_before_the_last_has_come))
