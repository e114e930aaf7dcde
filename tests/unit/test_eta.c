/*
 * test_eta.c - study/eta.h: estimates against what the arithmetic of constant speeds says.
 */
#include "study/eta.h"
#include "test.h"

static double estimate(int64_t runs, int64_t done, double seconds, const struct eta_run *running,
                       int64_t count)
{
    return eta_seconds(&(struct eta){
        .runs = runs, .done = done, .seconds = seconds, .running = running, .count = count});
}

/* Rounding alone: the expected numbers are exact. */
static const double TINY = 1e-9;

static void test_runs_one_after_the_other_take_as_long_as_those_before(void)
{
    EXPECT_NEAR(estimate(20, 5, 50, NULL, 0), 150, TINY);
    EXPECT_NEAR(estimate(20, 20, 50, NULL, 0), 0, TINY);
}

static void test_the_done_part_of_running_runs_counts(void)
{
    const struct eta_run two[] = {
        {.now = 0.5, .seconds = 5},
        {.now = 0.5, .seconds = 5}
    };

    /* Two at a time, ten seconds each: five rounds of two, of which one and a half are done. */
    EXPECT_NEAR(estimate(10, 2, 15, two, 2), 35, TINY);
}

static void test_it_takes_at_least_as_long_as_the_slowest_run(void)
{
    const struct eta_run last = {.now = 0.1, .seconds = 100};

    EXPECT_NEAR(estimate(10, 9, 120, &last, 1), 900, TINY);
}

static void test_what_a_resumed_run_had_done_before_is_no_sign_of_speed(void)
{
    const struct eta_run resumed = {.begun = 0.5, .now = 0.75, .seconds = 10};

    EXPECT_NEAR(estimate(1, 0, 10, &resumed, 1), 10, TINY);
}

static void test_without_work_there_is_no_estimate(void)
{
    const struct eta_run begun = {.now = 0.001, .seconds = 1};

    EXPECT(isnan(estimate(3, 0, 1, &begun, 1)));
    EXPECT(isnan(estimate(3, 0, 0, NULL, 0)));
}

TEST_MAIN(TEST(test_runs_one_after_the_other_take_as_long_as_those_before),
          TEST(test_the_done_part_of_running_runs_counts),
          TEST(test_it_takes_at_least_as_long_as_the_slowest_run),
          TEST(test_what_a_resumed_run_had_done_before_is_no_sign_of_speed),
          TEST(test_without_work_there_is_no_estimate))
