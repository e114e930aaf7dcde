/*
 * test_transport_kinds.c - what every transport owes to a receive for a set of kinds: each message
 * once, those of a kind and sender in order, and others are left.
 */
#include "comm/control_kinds.h"
#include "comm/world.h"
#include "worlds.h"

enum { SET_COUNT = 20, KIND_LEFT = 9 };

/* Messages of both kinds from all, each kind of each sender in its order; a third kind stays. */
static enum status set_receive(struct transport *t, int from, int64_t *next)
{
    const transport_kinds both = transport_kinds_of(KIND_A) | transport_kinds_of(KIND_B);
    struct envelope e = {0};
    int64_t value = 0;

    TRY(transport_recv_kinds(t, from, both, &e, &(struct incoming){&value, sizeof value}));
    MUST(e.kind == KIND_A || e.kind == KIND_B);
    MUST(from == TRANSPORT_ANY || e.from == from);

    int64_t *number = &next[2 * e.from + (e.kind == KIND_B)];

    MUST(value == stamp(e.from, t->rank, e.kind, (int)*number));
    MUST(e.sequence == *number);
    ++*number;
    return STATUS_OK;
}

static enum status set_receive_all(struct transport *t, int64_t *next)
{
    for (int i = 0; i < SET_COUNT; i++) /* half of what each has sent */
        for (int from = t->size - 1; from >= 0; from--)
            TRY(set_receive(t, from, next));
    for (int i = 0; i < SET_COUNT * t->size; i++)
        TRY(set_receive(t, TRANSPORT_ANY, next));
    for (int i = 0; i < 2 * t->size; i++)
        MUST(next[i] == SET_COUNT);
    for (int from = 0; from < t->size; from++)
        TRY(expect_number(t, from, KIND_LEFT, 0));
    return STATUS_OK;
}

static enum status set_body(void *context, struct transport *t)
{
    int64_t *next = MEM_NEW_N(int64_t, 2 * (int64_t)t->size);
    enum status s = STATUS_OK;

    (void)context;
    for (int to = 0; to < t->size && s == STATUS_OK; to++) {
        s = send_number(t, to, KIND_LEFT, 0);
        for (int i = 0; i < 2 * SET_COUNT && s == STATUS_OK; i++)
            s = send_number(t, to, i % 2 == 0 ? KIND_A : KIND_B, i / 2);
    }
    if (s == STATUS_OK)
        s = set_receive_all(t, next);
    mem_free(next);
    return s;
}

static void set_test(struct world *w)
{
    expect_run(w, set_body);
}

static void test_a_receive_may_be_for_a_set_of_kinds(void)
{
    with_worlds(set_test);
}

/* --- a receiver that waits --- */

enum { COMMANDS = 9 };

/* A command or a question, after a message that is not in the set. Which of both, nobody else
 * knows. */
static int kind_of_turn(int to, int turn)
{
    return (to + turn) % 3 == 0 ? CONTROL_COMMAND : KIND_A;
}

static enum status command_others(struct transport *t)
{
    for (int turn = 0; turn < COMMANDS; turn++)
        for (int to = 1; to < t->size; to++) {
            TRY(send_number(t, to, KIND_LEFT, turn));
            TRY(transport_send(t, to, kind_of_turn(to, turn), &turn, sizeof turn));
            TRY(expect_number(t, to, KIND_DONE, turn));
        }
    return STATUS_OK;
}

/* The next one is sent when the last one was answered: mostly the receiver is waiting then. */
static enum status follow_commands(struct transport *t)
{
    const transport_kinds set = transport_kinds_of(KIND_A) | transport_kinds_of(CONTROL_COMMAND);
    const int64_t before = t->counters.messages_sent;

    for (int turn = 0; turn < COMMANDS; turn++) {
        struct envelope e = {0};
        int said = -1;

        TRY(transport_recv_kinds(t, turn % 2 == 0 ? 0 : TRANSPORT_ANY, set, &e,
                                 &(struct incoming){&said, sizeof said}));
        MUST(e.kind == kind_of_turn(t->rank, turn) && e.from == 0 && said == turn);
        TRY(send_number(t, 0, KIND_DONE, turn));
    }
    MUST(t->counters.messages_sent == before + COMMANDS);
    for (int turn = 0; turn < COMMANDS; turn++)
        TRY(expect_number(t, 0, KIND_LEFT, turn));
    return STATUS_OK;
}

static enum status commands_body(void *context, struct transport *t)
{
    (void)context;
    return t->rank == 0 ? command_others(t) : follow_commands(t);
}

static void commands_test(struct world *w)
{
    expect_run(w, commands_body);
}

static void test_a_receiver_is_woken_by_any_kind_of_its_set_and_by_no_other(void)
{
    with_worlds(commands_test);
}

/* --- control --- */

/* What is around the rounds is not counted, whatever else the receiver would take. */
static enum status uncounted_body(void *context, struct transport *t)
{
    const transport_kinds around =
        transport_kinds_of(KIND_B) | transport_kinds_of(CONTROL_COUNTERS);
    const transport_kinds own = transport_kinds_of(KIND_B) | transport_kinds_of(KIND_A);
    const struct transport_counters before = t->counters;
    const int next = (t->rank + 1) % t->size;
    struct envelope e = {0};
    int64_t value = 0;

    (void)context;
    TRY(send_number(t, next, CONTROL_COUNTERS, 0));
    TRY(transport_recv_kinds(t, TRANSPORT_ANY, around, &e,
                             &(struct incoming){&value, sizeof value}));
    MUST(e.kind == CONTROL_COUNTERS);
    MUST(t->counters.messages_sent == before.messages_sent);
    MUST(t->counters.bytes_sent == before.bytes_sent);
    MUST(t->counters.transferring == before.transferring);
    TRY(send_number(t, next, KIND_A, 0));
    TRY(transport_recv_kinds(t, TRANSPORT_ANY, own, &e, &(struct incoming){&value, sizeof value}));
    MUST(e.kind == KIND_A);
    MUST(t->counters.messages_sent == before.messages_sent + 1);
    return STATUS_OK;
}

static void uncounted_test(struct world *w)
{
    expect_run(w, uncounted_body);
}

static void test_control_messages_that_a_set_receives_are_not_counted(void)
{
    with_worlds(uncounted_test);
}

TEST_MAIN(TEST(test_a_receive_may_be_for_a_set_of_kinds),
          TEST(test_a_receiver_is_woken_by_any_kind_of_its_set_and_by_no_other),
          TEST(test_control_messages_that_a_set_receives_are_not_counted))
