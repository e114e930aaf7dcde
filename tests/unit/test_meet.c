/*
 * test_meet.c - when the clock stops for workers that have met: since the last of them came, also
 * for one that comes to know of it later.
 */
#include "algo/list.h"
#include "test.h"
#include "train/loop_parts.h"

/* This worker came to the meeting at 10 by its watch, after 5 s of training. */
static struct pause pause_of(double others)
{
    struct tally everybody[2] = {{.seconds = 5}, {.seconds = others}};
    const struct build build = {.algo = &dsgd_algo, .workers = 2};
    const struct loop l = {
        .build = &build,
        .everybody = everybody,
        .mine = {.seconds = 5                              },
        .arrived = { .since = 10, .account = {.waiting = 1, .computing = 4}},
    };

    return meet_pause_all(&l);
}

static void test_waiting_for_the_last_is_training_and_what_follows_is_not(void)
{
    const struct pause p = pause_of(7);

    EXPECT_NEAR(p.since, 12, 0);
    EXPECT_NEAR(p.account.waiting, 3, 0);
    EXPECT_NEAR(p.account.computing, 4, 0);
}

static void test_the_last_itself_waits_for_nobody(void)
{
    const struct pause p = pause_of(3);

    EXPECT_NEAR(p.since, 10, 0);
    EXPECT_NEAR(p.account.waiting, 1, 0);
}

TEST_MAIN(TEST(test_waiting_for_the_last_is_training_and_what_follows_is_not),
          TEST(test_the_last_itself_waits_for_nobody))
