/*
 * test_transport_each.c - what every transport owes to those that talk with several at once: one
 * message for all, a wait for all, and messages that are read where they lie.
 */
#include "comm/world.h"
#include "worlds.h"

enum { ROUNDS = 60, NUMBERS = 3000 }; /* more rounds than messages may wait */

/* Everybody else, in rank order. */
static struct peers others_of(const struct transport *t, int *ranks)
{
    int count = 0;

    for (int i = 0; i < t->size; i++)
        if (i != t->rank)
            ranks[count++] = i;
    return (struct peers){ranks, count};
}

static int64_t number_of(int from, int round, int i)
{
    return (int64_t)from * 1000003 + (int64_t)round * 7919 + i;
}

static enum status hear(struct transport *t, int from, int round, int64_t *room)
{
    const struct incoming place = {room, NUMBERS * sizeof *room};
    const void *data = NULL;
    struct envelope e;

    TRY(transport_borrow(t, from, KIND_A, &e, &place, &data));
    const int64_t *numbers = data;

    MUST(e.from == from && e.sequence == round && e.bytes == place.bytes);
    for (int i = 0; i < NUMBERS; i++)
        MUST(numbers[i] == number_of(from, round, i));
    transport_give_back(t);
    return STATUS_OK;
}

/* Every third round with computing slots, and every second one received in the usual way. */
static enum status each_round(struct transport *t, const struct peers *others, int round,
                              int64_t *room)
{
    const size_t bytes = NUMBERS * sizeof *room;
    struct envelope e;

    for (int i = 0; i < NUMBERS; i++)
        room[i] = number_of(t->rank, round, i);
    TRY(transport_send_each(t, others, KIND_A, room, bytes));
    for (int i = 0; i < NUMBERS; i++)
        room[i] = -1; /* the transport has a copy */
    TRY(transport_await(t, others, KIND_A));
    for (int i = 0; i < others->count; i++) {
        if (round % 2 == 0) {
            TRY(hear(t, others->ranks[i], round, room));
            continue;
        }
        TRY(transport_recv(t, others->ranks[i], KIND_A, &e, room, bytes));
        MUST(room[NUMBERS - 1] == number_of(others->ranks[i], round, NUMBERS - 1));
    }
    return STATUS_OK;
}

static enum status all_rounds(struct transport *t, const struct peers *others, int64_t *room)
{
    for (int round = 0; round < ROUNDS; round++) {
        const bool computes = round % 3 == 0;

        if (computes)
            transport_compute_begin(t);
        TRY(each_round(t, others, round, room));
        if (computes)
            transport_compute_end(t);
    }
    MUST(t->counters.messages_sent == (int64_t)ROUNDS * others->count);
    MUST(t->counters.bytes_sent ==
         (int64_t)ROUNDS * others->count * NUMBERS * (int64_t)sizeof *room);
    return STATUS_OK;
}

static enum status each_body(void *context, struct transport *t)
{
    int64_t *room = MEM_NEW_N(int64_t, NUMBERS);
    int *ranks = MEM_NEW_N(int, t->size);
    const struct peers others = others_of(t, ranks);

    (void)context;
    const enum status s = all_rounds(t, &others, room);

    mem_free(ranks);
    mem_free(room);
    return s;
}

static void each_test(struct world *w)
{
    expect_run(w, each_body);
}

static void test_one_message_for_all_is_read_by_each_and_in_order(void)
{
    with_worlds(each_test);
}

/* All but the last wait for a message from everybody; the last fails. */
static enum status fail_body(void *context, struct transport *t)
{
    int ranks[32];
    const struct peers others = others_of(t, ranks);
    int64_t number = 1;
    struct envelope e;

    (void)context;
    MUST(t->size <= 32);
    if (t->rank == t->size - 1)
        return FAIL(STATUS_BAD_INPUT, "no more");
    transport_compute_begin(t);
    TRY(transport_send_each(t, &others, KIND_A, &number, sizeof number));
    TRY(transport_await(t, &others, KIND_A));
    for (int i = 0; i < others.count; i++)
        TRY(transport_recv(t, others.ranks[i], KIND_A, &e, &number, sizeof number));
    return FAIL(STATUS_BAD_INPUT, "who was awaited has not sent anything");
}

static void fail_test(struct world *w)
{
    const enum status s = world_run(w, fail_body, NULL);

    EXPECT(s != STATUS_OK);
    EXPECT(!is_told() || strstr(status_message(), "no more") != NULL);
}

static void test_a_failure_ends_the_wait_for_several(void)
{
    with_worlds(fail_test);
}

TEST_MAIN(TEST(test_one_message_for_all_is_read_by_each_and_in_order),
          TEST(test_a_failure_ends_the_wait_for_several))
