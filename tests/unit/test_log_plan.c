/*
 * test_log_plan.c - how often a run writes log rows: often enough, and not at any cost.
 */
#include "test.h"
#include "train/loop/log_plan.h"

enum { AUTO = -1 };

/* LeNet-5 on Fashion-MNIST, batches of 32, six epochs. */
static struct log_load usual_load(int workers)
{
    const double rounds = 1875.0 / workers;

    return (struct log_load){
        .epoch_rounds = rounds,
        .rounds = (int64_t)(6 * rounds),
        .workers = workers,
        .round_flops = 32 * 2.5e6,
        .params = 61706,
    };
}

static int64_t rows_until(const struct log_plan *p, int64_t rounds)
{
    int64_t rows = 0;

    for (int64_t round = 1; round <= rounds; round++)
        rows += log_plan_is_due(p, round) ? 1 : 0;
    return rows;
}

static void test_an_epoch_has_at_least_fifty_rows(void)
{
    for (int workers = 1; workers <= 10; workers++) {
        const struct log_load load = usual_load(workers);
        const struct log_plan p = log_plan_make(AUTO, &load);

        EXPECT(rows_until(&p, (int64_t)load.epoch_rounds) >= 50);
        EXPECT(p.has_workers == (workers > 1));
    }
}

static void test_a_number_that_is_given_is_taken(void)
{
    const struct log_load load = {.epoch_rounds = 10, .rounds = 1000000, .workers = 2};
    const struct log_plan every = log_plan_make(3, &load), none = log_plan_make(0, &load);

    EXPECT(every.is_prompt);
    EXPECT(!log_plan_is_due(&every, 0));
    EXPECT(!log_plan_is_due(&every, 2));
    EXPECT(log_plan_is_due(&every, 3));
    EXPECT(log_plan_is_due(&every, 999999));
    EXPECT_INT(rows_until(&none, 1000), 0);
}

static void test_rows_of_a_long_run_are_limited(void)
{
    for (int workers = 1; workers <= 100; workers += 33) {
        struct log_load load = usual_load(workers);

        load.rounds = (int64_t)(2000 * load.epoch_rounds);
        const struct log_plan p = log_plan_make(AUTO, &load);
        const int64_t rows = rows_until(&p, load.rounds);

        EXPECT(rows <= 2000);
        EXPECT(rows * workers <= 20000);
        EXPECT(rows > (workers == 1 ? 1900 : 19000 / workers));
    }
}

static void test_a_run_of_unknown_length_has_fewer_and_fewer_rows(void)
{
    struct log_load load = usual_load(1);

    load.rounds = 0;
    const struct log_plan p = log_plan_make(AUTO, &load);

    EXPECT_INT(p.every, 37);
    EXPECT_INT(rows_until(&p, 37 * 2000), 2000);
    EXPECT_INT(rows_until(&p, 2 * 37 * 2000), 3000);
    EXPECT_INT(rows_until(&p, 8 * 37 * 2000), 5000);
}

static void test_rows_take_at_most_a_hundredth_of_the_time(void)
{
    const struct log_load tiny = {
        .epoch_rounds = 10, .rounds = 100000, .workers = 4, .round_flops = 1e5, .params = 100};
    const struct log_load wide = {
        .epoch_rounds = 10, .rounds = 1000, .workers = 1, .round_flops = 1e9, .params = 10000000};

    EXPECT(log_plan_make(AUTO, &tiny).every >= 500);
    EXPECT_INT(log_plan_make(AUTO, &wide).every, 11); /* for the norm of the weights */
}

static void test_workers_have_rows_of_their_own_up_to_a_hundred(void)
{
    const struct log_load most = {.epoch_rounds = 1000, .rounds = 10000, .workers = 100};
    const struct log_load more = {.epoch_rounds = 1000, .rounds = 10000, .workers = 101};

    EXPECT(log_plan_make(AUTO, &most).has_workers);
    EXPECT(!log_plan_make(AUTO, &more).has_workers);
    EXPECT(!log_plan_make(1, &more).has_workers);
    EXPECT_INT(log_plan_make(AUTO, &more).every, 20);
}

TEST_MAIN(TEST(test_an_epoch_has_at_least_fifty_rows), TEST(test_a_number_that_is_given_is_taken),
          TEST(test_rows_of_a_long_run_are_limited),
          TEST(test_a_run_of_unknown_length_has_fewer_and_fewer_rows),
          TEST(test_rows_take_at_most_a_hundredth_of_the_time),
          TEST(test_workers_have_rows_of_their_own_up_to_a_hundred))
