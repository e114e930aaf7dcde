/*
 * test_round_rows.c - the rows of a round are complete when all workers have done it, and come in
 * the order of rounds.
 */
#include "base/mem.h"
#include "test.h"
#include "train/loop/round_rows.h"

static void hand_in(struct round_queue *q, int worker, int64_t round)
{
    const struct round_facts facts = {.round = round, .lr = worker == 0 ? 0.5 : 99};
    const struct counters c = {.samples = (double)(100 * round + worker)};

    round_queue_hand_in(q, worker, &facts, &c);
}

static void test_a_round_is_complete_when_all_workers_have_done_it(void)
{
    struct round_queue *q = round_queue_new(3);

    EXPECT(round_queue_take(q) == NULL);
    hand_in(q, 2, 4);
    hand_in(q, 0, 4);
    EXPECT(round_queue_take(q) == NULL);
    hand_in(q, 1, 4);

    struct round_rows *r = round_queue_take(q);

    EXPECT(r != NULL);
    EXPECT_INT(r->facts.round, 4);
    EXPECT_NEAR(r->facts.lr, 0.5, 0); /* the leader's */
    for (int w = 0; w < 3; w++)
        EXPECT_NEAR(r->workers[w].samples, 400 + w, 0);
    EXPECT(round_queue_take(q) == NULL);
    mem_free(r);
    round_queue_free(q);
}

static void test_workers_may_be_rounds_ahead(void)
{
    struct round_queue *q = round_queue_new(2);

    for (int64_t round = 1; round <= 3; round++)
        hand_in(q, 1, round); /* far ahead of the leader */
    for (int64_t round = 1; round <= 2; round++) {
        hand_in(q, 0, round);

        struct round_rows *r = round_queue_take(q);

        EXPECT_INT(r->facts.round, round);
        mem_free(r);
    }
    EXPECT(round_queue_take(q) == NULL);
    round_queue_free(q); /* with the third round in it */
}

static void test_a_lead_of_many_rounds_costs_no_more_for_each(void)
{
    enum { ROUNDS = 20000 };
    struct round_queue *q = round_queue_new(2);
    int64_t taken = 0;

    for (int64_t round = 1; round <= ROUNDS; round++)
        hand_in(q, 0, 3 * round);
    for (int64_t round = 1; round <= ROUNDS; round++) {
        struct round_rows *r;

        hand_in(q, 1, 3 * round);
        while ((r = round_queue_take(q)) != NULL) {
            EXPECT_INT(r->facts.round, 3 * ++taken);
            mem_free(r);
        }
    }
    EXPECT_INT(taken, ROUNDS);
    round_queue_free(q);
}

TEST_MAIN(TEST(test_a_round_is_complete_when_all_workers_have_done_it),
          TEST(test_workers_may_be_rounds_ahead),
          TEST(test_a_lead_of_many_rounds_costs_no_more_for_each))
