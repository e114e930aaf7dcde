/*
 * test_transport_sums.c - what every transport owes: sums to the bit of the loop in rank order,
 * and barriers.
 */
#include "comm/world.h"
#include "worlds.h"

/* --- sums --- */

static const int64_t sum_counts[] = {0, 1, 2, 7, 1000, 61706};

/* Values whose sum depends on the order: of very different sizes and signs. */
static float float_value(int rank, int64_t i)
{
    const int64_t mixed = (i * 2654435761 + rank * 40503 + 12345) % 1000003;
    const float scale = rank % 3 == 0 ? 1e6F : rank % 3 == 1 ? -1e6F : 1e-2F;

    return scale * (float)(mixed - 500000) / 977.0F;
}

static double double_value(int rank, int64_t i)
{
    return (double)float_value(rank, i) * 1.1 + 1e-9 * (double)i;
}

static int64_t whole_value(int rank, int64_t i)
{
    return (rank + 1) * (i + 1) * (rank % 2 == 0 ? 1 : -1) + ((int64_t)1 << 55);
}

static enum status sum_floats(struct transport *t, float *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = float_value(t->rank, i);
    TRY(transport_sum(t, &(struct sum){.data = x, .count = count, .type = SUM_FLOAT}));
    for (int64_t i = 0; i < count; i++) {
        float expected = float_value(0, i);

        for (int r = 1; r < t->workers; r++)
            expected += float_value(r, i);
        MUST(memcmp(&x[i], &expected, sizeof expected) == 0);
    }
    return STATUS_OK;
}

static enum status sum_doubles(struct transport *t, double *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = double_value(t->rank, i);
    TRY(transport_sum(t, &(struct sum){.data = x, .count = count, .type = SUM_DOUBLE}));
    for (int64_t i = 0; i < count; i++) {
        double expected = double_value(0, i);

        for (int r = 1; r < t->workers; r++)
            expected += double_value(r, i);
        MUST(memcmp(&x[i], &expected, sizeof expected) == 0);
    }
    return STATUS_OK;
}

static enum status sum_wholes(struct transport *t, int64_t *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = whole_value(t->rank, i);
    TRY(transport_sum(t, &(struct sum){.data = x, .count = count, .type = SUM_INT64}));
    for (int64_t i = 0; i < count; i++) {
        int64_t expected = 0;

        for (int r = 0; r < t->workers; r++)
            expected += whole_value(r, i);
        MUST(x[i] == expected);
    }
    return STATUS_OK;
}

/* A server does something else meanwhile: it is not asked. */
static enum status sums_in(struct transport *t, void *room)
{
    for (size_t k = 0; k < sizeof sum_counts / sizeof sum_counts[0]; k++) {
        TRY(sum_floats(t, room, sum_counts[k]));
        TRY(sum_doubles(t, room, sum_counts[k]));
        TRY(sum_wholes(t, room, sum_counts[k]));
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
    const enum status s = sum_floats(t, x, count);

    (void)context;
    mem_free(x);
    return s;
}

static void test_a_large_sum_is_right_in_every_element(void)
{
    struct world *w = NULL;

    if (EXPECT_OK(world_open(&(struct world_request){.workers = world_is_launched() ? 0 : 3}, &w)))
        expect_run(w, large_sum_body);
    world_close(w);
}

/* Starts, computes, asks now and then, and waits; with messages on the way at the same time. */
static enum status polled_body(void *context, struct transport *t)
{
    float x[1001];
    bool done = false;

    (void)context;
    for (int round = 0; round < 30; round++) {
        TRY(send_number(t, (t->rank + 1) % t->workers, KIND_A, round));
        for (int i = 0; i < 1001; i++)
            x[i] = float_value(t->rank, i + round);
        TRY(transport_sum_start(t, &(struct sum){.data = x, .count = 1001, .type = SUM_FLOAT}));
        for (int k = 0; k < 5 && !done; k++)
            TRY(transport_sum_poll(t, &done));
        TRY(expect_number(t, (t->rank + t->workers - 1) % t->workers, KIND_A, round));
        TRY(transport_sum_wait(t));
        for (int i = 0; i < 1001; i++) {
            float expected = float_value(0, i + round);

            for (int r = 1; r < t->workers; r++)
                expected += float_value(r, i + round);
            MUST(memcmp(&x[i], &expected, sizeof expected) == 0);
        }
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
