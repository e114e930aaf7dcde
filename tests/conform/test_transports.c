/*
 * test_transports.c - what every transport owes: messages, in order, once, and never too many; a
 * server beside the workers.
 */
#include "comm/world.h"
#include "worlds.h"

/* --- messages --- */

/* Kinds are sent in turn and received one kind after the other, the last sent first. */
static enum status kinds_body(void *context, struct transport *t)
{
    (void)context;
    for (int number = 0; number < 20; number++)
        for (int to = 0; to < t->size; to++) {
            TRY(send_number(t, to, KIND_A, number));
            TRY(send_number(t, to, KIND_B, number));
        }
    for (int kind = KIND_B; kind >= KIND_A; kind -= KIND_B - KIND_A)
        for (int from = t->size - 1; from >= 0; from--)
            for (int number = 0; number < 20; number++)
                TRY(expect_number(t, from, kind, number));
    return STATUS_OK;
}

static void kinds_test(struct world *w)
{
    expect_run(w, kinds_body);
}

static void test_messages_keep_their_order_for_each_pair_and_kind(void)
{
    with_worlds(kinds_test);
}

enum { ANY_COUNT = 40 };

static enum status any_receive(struct transport *t)
{
    int *next = MEM_NEW_N(int, t->size);
    enum status s = STATUS_OK;
    bool holds = true;

    for (int i = 0; i < ANY_COUNT * t->size && s == STATUS_OK && holds; i++) {
        struct envelope e = {0};
        int64_t value = 0;

        s = transport_recv(t, TRANSPORT_ANY, KIND_A, &e, &value, sizeof value);
        holds = s != STATUS_OK || (value == stamp(e.from, t->rank, KIND_A, next[e.from]) &&
                                   e.sequence == next[e.from]);
        next[e.from]++;
    }
    for (int from = 0; from < t->size; from++)
        holds = holds && (s != STATUS_OK || next[from] == ANY_COUNT);
    mem_free(next);
    TRY(s);
    MUST(holds);
    return STATUS_OK;
}

static enum status any_body(void *context, struct transport *t)
{
    (void)context;
    for (int number = 0; number < ANY_COUNT; number++)
        for (int to = 0; to < t->size; to++)
            TRY(send_number(t, to, KIND_A, number));
    return any_receive(t);
}

static void any_test(struct world *w)
{
    expect_run(w, any_body);
}

static void test_a_receive_from_any_gets_every_message_once_and_in_order(void)
{
    with_worlds(any_test);
}

/* 8 MB is beyond what any wire takes before the receiver asks. */
static enum status exchange_large(struct transport *t, int64_t *out, int64_t *in, int64_t count)
{
    struct envelope e;

    for (int64_t i = 0; i < count; i++)
        out[i] = i * 31 + t->rank;
    for (int to = 0; to < t->size; to++)
        TRY(transport_send(t, to, KIND_A, out, (size_t)count * sizeof *out));
    for (int64_t i = 0; i < count; i++)
        out[i] = -1; /* the transport has a copy */
    for (int from = 0; from < t->size; from++) {
        TRY(transport_recv(t, from, KIND_A, &e, in, (size_t)count * sizeof *in));
        MUST(e.bytes == (size_t)count * sizeof *in);
        for (int64_t i = 0; i < count; i++)
            MUST(in[i] == i * 31 + from);
    }
    return STATUS_OK;
}

static enum status large_body(void *context, struct transport *t)
{
    enum { COUNT = 1 << 20 };
    int64_t *out = MEM_NEW_N(int64_t, COUNT), *in = MEM_NEW_N(int64_t, COUNT);

    (void)context;

    const enum status s = exchange_large(t, out, in, COUNT);

    mem_free(in);
    mem_free(out);
    return s;
}

static void test_all_may_send_large_messages_before_any_receives(void)
{
    const int workers = workers_or(3);

    struct world *w = NULL;

    if (EXPECT_OK(world_open(&(struct world_request){.workers = workers}, &w)))
        expect_run(w, large_body);
    world_close(w);
    if (EXPECT_OK(world_open(
            &(struct world_request){.workers = workers, .server = WORLD_SERVER_THREAD}, &w)))
        expect_run(w, large_body);
    world_close(w);
}

static enum status empty_body(void *context, struct transport *t)
{
    struct envelope e = {.bytes = 99};

    (void)context;
    TRY(transport_send(t, (t->rank + 1) % t->size, KIND_A, NULL, 0));
    TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, &e, NULL, 0));
    MUST(e.bytes == 0 && e.from == (t->rank + t->size - 1) % t->size && e.sequence == 0);
    return STATUS_OK;
}

static void empty_test(struct world *w)
{
    expect_run(w, empty_body);
}

static void test_a_message_of_no_bytes_arrives(void)
{
    with_worlds(empty_test);
}

static enum status turn_body(void *context, struct transport *t)
{
    (void)context;
    /* Many more than may wait, but never more than 64 at a time. */
    for (int turn = 0; turn < 5; turn++) {
        for (int i = 0; i < TRANSPORT_PENDING_MAX; i++)
            TRY(send_number(t, t->rank, KIND_A, turn * TRANSPORT_PENDING_MAX + i));
        for (int i = 0; i < TRANSPORT_PENDING_MAX; i++)
            TRY(expect_number(t, t->rank, KIND_A, turn * TRANSPORT_PENDING_MAX + i));
    }
    return STATUS_OK;
}

static void turn_test(struct world *w)
{
    expect_run(w, turn_body);
}

static void test_64_messages_may_wait_again_and_again(void)
{
    with_worlds(turn_test);
}

static enum status flood_body(void *context, struct transport *t)
{
    (void)context;
    if (t->rank != t->workers - 1)
        return transport_recv(t, TRANSPORT_ANY, KIND_B, NULL, NULL, 0); /* never comes */
    for (int i = 0; i < TRANSPORT_PENDING_MAX; i++)
        if (transport_send(t, 0, KIND_A, &i, sizeof i) != STATUS_OK)
            return FAIL(STATUS_BAD_INPUT, "message %d was refused", i);
    return transport_send(t, 0, KIND_A, NULL, 0);
}

static void flood_test(struct world *w)
{
    char expected[128];

    snprintf(expected, sizeof expected, "worker 0 has 64 undelivered messages from worker %d",
             w->workers - 1);
    EXPECT_INT(world_run(w, flood_body, NULL), STATUS_PEER);
    EXPECT(w->process == 0 ? strstr(status_message(), expected) != NULL : !is_told());
}

static void test_the_65th_undelivered_message_is_refused_and_names_both(void)
{
    with_worlds(flood_test);
}

static enum status narrow_body(void *context, struct transport *t)
{
    char buffer[10];

    (void)context;
    if (t->rank > 0)
        return transport_recv(t, TRANSPORT_ANY, KIND_B, NULL, NULL, 0);
    TRY(transport_send(t, 0, KIND_A, "0123456789abc", 13));
    return transport_recv(t, TRANSPORT_ANY, KIND_A, NULL, buffer, sizeof buffer);
}

static void narrow_test(struct world *w)
{
    EXPECT_INT(world_run(w, narrow_body, NULL), STATUS_PEER);
    if (w->process == 0) {
        EXPECT_HAS(status_message(), "13 bytes from worker 0");
        EXPECT_HAS(status_message(), "the 10 bytes");
    }
}

static void test_a_message_larger_than_the_buffer_is_an_error_that_names_the_sizes(void)
{
    with_worlds(narrow_test);
}

/* --- the server --- */

/* Every worker asks, the server answers in the order of asking, and ends when all are done. */
static enum status serve(struct transport *t)
{
    int left = t->workers;
    int64_t asked = 0;
    struct envelope e;

    while (left > 0) {
        TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, &e, &asked, sizeof asked));
        MUST(e.from < t->workers);
        asked *= 2;
        if (asked < 0)
            left--;
        else
            TRY(transport_send(t, e.from, KIND_B, &asked, sizeof asked));
    }
    return STATUS_OK;
}

static enum status server_body(void *context, struct transport *t)
{
    const int64_t goodbye = -1;
    int64_t answer = 0, sum = 0;

    (void)context;
    MUST(t->size == t->workers + 1);
    if (is_server(t))
        return serve(t);
    for (int64_t i = 0; i < 50; i++) {
        TRY(transport_send(t, t->workers, KIND_A, &i, sizeof i));
        TRY(transport_recv(t, t->workers, KIND_B, NULL, &answer, sizeof answer));
        MUST(answer == 2 * i);
        sum = answer;
        TRY(transport_sum(t, &(struct sum){.data = &sum, .count = 1, .type = SUM_INT64}));
        MUST(sum == 2 * i * t->workers);
    }
    return transport_send(t, t->workers, KIND_A, &goodbye, sizeof goodbye);
}

static void server_test(struct world *w)
{
    if (w->size == w->workers + 1)
        expect_run(w, server_body);
}

static void test_a_server_answers_while_the_workers_sum(void)
{
    struct world *w = NULL;

    with_worlds(server_test);
    if (!EXPECT_OK(world_open(&(struct world_request){0}, &w)))
        return;

    const bool has_room = !world_is_launched() || w->processes > 1;

    world_close(w);
    if (has_room)
        with_world(&(struct world_request){.server = WORLD_SERVER_OWN}, server_test);
}

/* Answers with the double until every worker has said goodbye. */
static enum status respond(struct transport *t)
{
    struct envelope e;
    int64_t asked = 0;

    for (int gone = 0; gone < t->workers;) {
        TRY(transport_recv(t, TRANSPORT_ANY, KIND_A, &e, &asked, sizeof asked));
        MUST(e.from < t->workers);
        gone += asked < 0;
        asked = 2 * asked + t->rank;
        if (asked >= 0)
            TRY(transport_send(t, e.from, KIND_B, &asked, sizeof asked));
    }
    return STATUS_OK;
}

static enum status responders_body(void *context, struct transport *t)
{
    const int64_t goodbye = -1000;
    struct envelope e;
    int64_t answer = 0;

    (void)context;
    MUST(t->size == (t->workers == 1 ? 1 : 2 * t->workers));
    if (is_server(t))
        return respond(t);
    for (int64_t i = 0; i < 50 && t->size > 1; i++) {
        const int to = t->workers + (int)((t->rank + i) % t->workers);

        TRY(transport_send(t, to, KIND_A, &i, sizeof i));
        TRY(transport_recv(t, i % 2 == 0 ? TRANSPORT_ANY : to, KIND_B, &e, &answer, sizeof answer));
        MUST(e.from == to && answer == 2 * i + to);
        TRY(transport_barrier(t));
    }
    for (int to = t->workers; to < t->size; to++)
        TRY(transport_send(t, to, KIND_A, &goodbye, sizeof goodbye));
    return STATUS_OK;
}

static void run_responders(struct world *w)
{
    expect_run(w, responders_body);
}

static void responders_test(int workers)
{
    with_world(&(struct world_request){.workers = workers, .server = WORLD_RESPONDERS},
               run_responders);
}

static void test_responders_answer_while_their_workers_meet(void)
{
    with_workers(responders_test);
}

static enum status leave_body(void *context, struct transport *t)
{
    static const char large[100000];

    (void)context;
    for (int to = 0; to < t->size; to++) {
        TRY(send_number(t, to, KIND_A, 0));
        TRY(transport_send(t, to, KIND_B, large, sizeof large));
    }
    return STATUS_OK;
}

static void leave_test(struct world *w)
{
    expect_run(w, leave_body);
}

static void test_messages_that_nobody_receives_do_not_hold_the_world_open(void)
{
    with_worlds(leave_test);
}

/* --- messages in parts --- */

enum { PARTS_BYTES = 100000, PARTS_CUT = 77, PARTS_SHORT = 5000 };

/* The bytes of a message from this endpoint in this round. */
static unsigned char part_byte(int rank, int round, size_t i)
{
    return (unsigned char)(i * 31 + (size_t)(rank * 7 + round));
}

static enum status send_in_parts(struct transport *t, int to, int round, unsigned char *bytes)
{
    const size_t size = round % 3 == 2 ? PARTS_SHORT : PARTS_BYTES;
    const struct outgoing parts[] = {
        {bytes,                    PARTS_CUT},
        {NULL,                     0        },
        {bytes + PARTS_CUT,        2000     },
        {bytes + PARTS_CUT + 2000, 0        }
    };
    struct outgoing all[4];

    memcpy(all, parts, sizeof all);
    all[3].bytes = size - PARTS_CUT - 2000;
    for (size_t i = 0; i < size; i++)
        bytes[i] = part_byte(t->rank, round, i);
    return transport_send_parts(t, to, KIND_A, all, 4);
}

/* The places are cut elsewhere than those of the sender. */
static enum status receive_in_parts(struct transport *t, int from, int round, unsigned char *bytes)
{
    const size_t size = round % 3 == 2 ? PARTS_SHORT : PARTS_BYTES;
    const struct incoming parts[] = {
        {NULL,         0                 },
        {bytes,        1000              },
        {bytes + 1000, 3                 },
        {bytes + 1003, PARTS_BYTES - 1003}
    };
    struct envelope e;

    memset(bytes, 0, PARTS_BYTES);
    TRY(transport_recv_parts(t, from, KIND_A, &e, parts, 4));
    MUST(e.bytes == size && e.from == from && e.sequence == round);
    for (size_t i = 0; i < PARTS_BYTES; i++)
        MUST(bytes[i] == (i < size ? part_byte(from, round, i) : 0));
    return STATUS_OK;
}

/* Every other message finds its receiver waiting. */
static enum status parts_round(struct transport *t, int round, unsigned char *bytes)
{
    const int next = (t->rank + 1) % t->size, last = (t->rank + t->size - 1) % t->size;

    if (t->size > 1 && t->rank % 2 == round % 2)
        TRY(transport_sleep(t, 0.002));
    TRY(send_in_parts(t, next, round, bytes));
    return receive_in_parts(t, last, round, bytes);
}

static enum status parts_body(void *context, struct transport *t)
{
    unsigned char *bytes = mem_alloc(PARTS_BYTES, 1);
    enum status s = STATUS_OK;

    (void)context;
    for (int round = 0; s == STATUS_OK && round < 12; round++)
        s = parts_round(t, round, bytes);
    mem_free(bytes);
    return s;
}

static void parts_test(struct world *w)
{
    expect_run(w, parts_body);
}

static void test_a_message_is_gathered_and_spread_whatever_its_parts(void)
{
    with_worlds(parts_test);
}

TEST_MAIN(TEST(test_messages_keep_their_order_for_each_pair_and_kind),
          TEST(test_a_receive_from_any_gets_every_message_once_and_in_order),
          TEST(test_all_may_send_large_messages_before_any_receives),
          TEST(test_a_message_of_no_bytes_arrives), TEST(test_64_messages_may_wait_again_and_again),
          TEST(test_the_65th_undelivered_message_is_refused_and_names_both),
          TEST(test_a_message_larger_than_the_buffer_is_an_error_that_names_the_sizes),
          TEST(test_a_message_is_gathered_and_spread_whatever_its_parts),
          TEST(test_a_server_answers_while_the_workers_sum),
          TEST(test_responders_answer_while_their_workers_meet),
          TEST(test_messages_that_nobody_receives_do_not_hold_the_world_open))
