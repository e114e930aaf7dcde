/*
 * test_transport_kinds.c - what every transport owes to a receive for a set of kinds: each message
 * once, those of a kind and sender in order, and others are left.
 */
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

TEST_MAIN(TEST(test_a_receive_may_be_for_a_set_of_kinds))
