/*
 * test_counters.c - the list of counters: reduced over workers, packed, shown.
 */
#include <math.h>

#include "record/counters.h"
#include "test.h"

static void test_counters_are_reduced_as_their_row_says(void)
{
    const struct counters workers[] = {
        {.samples = 10, .seconds = 5, .moving_loss = 1, .waiting = 2, .rounds = 7},
        {.samples = 30, .seconds = 4, .moving_loss = 3, .waiting = 1, .rounds = 9},
    };
    const struct counters all = counters_reduce(workers, 2);

    EXPECT_NEAR(all.samples, 40, 0);
    EXPECT_NEAR(all.seconds, 5, 0);
    EXPECT_NEAR(all.moving_loss, 2, 0);
    EXPECT_NEAR(all.waiting, 3, 0);
    EXPECT_NEAR(all.rounds, 9, 0);
}

static void test_a_worker_without_a_batch_has_no_moving_loss_and_does_not_count_in_the_mean(void)
{
    const struct counters workers[] = {counters_start(), {.moving_loss = 3}};

    EXPECT(isnan(counters_start().moving_loss));
    EXPECT_NEAR(counters_reduce(workers, 2).moving_loss, 3, 0);
    EXPECT(isnan(counters_reduce(workers, 1).moving_loss));
}

static void test_saved_counters_come_back(void)
{
    struct counters given, found = {0};
    double values[COUNTERS_COUNT];

    for (int i = 0; i < COUNTERS_COUNT; i++)
        ((double *)&given)[i] = i + 0.5;
    counters_pack(&given, values);
    counters_unpack(&found, values);
    for (int i = 0; i < COUNTERS_COUNT; i++)
        if (counters_list[i].saved == COUNTER_SAVED)
            EXPECT_NEAR(counters_get(&found, i), i + 0.5, 0);
}

static void test_the_names_of_the_saved_counters_are_those_of_the_list(void)
{
    struct text names = {0};

    for (int i = 0; i < COUNTERS_COUNT; i++)
        if (counters_list[i].saved == COUNTER_SAVED)
            text_addf(&names, "%s%s", names.length > 0 ? "," : "", counters_list[i].name);
    EXPECT_TEXT(counters_saved_names(), text_get(&names));
    text_release(&names);
}

static void test_counts_are_shown_as_whole_numbers(void)
{
    const struct counters c = {.samples = 1e6, .gradients = 3, .bytes = 5e9, .seconds = 2.25};
    struct text out = {0};
    struct json j;

    json_init(&j, &out);
    json_open_map(&j, NULL);
    counters_json(&c, COUNTER_ROW, &j);
    json_close_map(&j);
    EXPECT_TEXT(text_get(&out),
                "{\"samples\": 1000000, \"gradients\": 3, \"bytes_sent\": 5000000000, "
                "\"seconds\": 2.25}");
    text_release(&out);
}

TEST_MAIN(TEST(test_counters_are_reduced_as_their_row_says),
          TEST(test_a_worker_without_a_batch_has_no_moving_loss_and_does_not_count_in_the_mean),
          TEST(test_saved_counters_come_back),
          TEST(test_the_names_of_the_saved_counters_are_those_of_the_list),
          TEST(test_counts_are_shown_as_whole_numbers))
