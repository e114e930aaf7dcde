/*
 * test_clock.c - base/clock.h and base/env.h.
 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/env.h"
#include "test.h"

static void test_the_clock_goes_on_by_what_is_slept(void)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    const double before = clock_seconds();

    nanosleep(&pause, NULL);
    EXPECT(clock_seconds() - before >= 0.02);
    EXPECT(clock_seconds() - before < 5);
}

static void test_the_wall_clock_is_the_systems(void)
{
    EXPECT_NEAR(clock_unix(), (double)time(NULL), 2); /* a second's granularity, and a late tick */
}

static void test_a_stamp_is_the_local_time_by_format(void)
{
    char stamp[32];
    struct tm read = {0};

    setenv("TZ", "UTC-5", 1);
    tzset();
    clock_stamp(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S");
    EXPECT(strptime(stamp, "%Y-%m-%d %H:%M:%S", &read) != NULL);
    EXPECT_NEAR((double)timegm(&read) - 5 * 3600, clock_unix(), 2);
    unsetenv("TZ");
    tzset();
}

static void test_a_stamp_without_room_is_empty(void)
{
    char stamp[4] = "abc";

    clock_stamp(stamp, sizeof stamp, "%Y-%m-%d");
    EXPECT_TEXT(stamp, "");
}

static void expect_duration(double seconds, const char *expected)
{
    char out[32];

    clock_duration(out, sizeof out, seconds);
    EXPECT_TEXT(out, expected);
}

static void test_durations_are_as_a_person_says_them(void)
{
    expect_duration(0.0123, "12 ms");
    expect_duration(0.25, "0.25 s");
    expect_duration(2.5, "2.5 s");
    expect_duration(192, "3 min 12 s");
    expect_duration(3840, "1 h 4 min");
    expect_duration(200000, "2 d 7 h");
}

static void test_durations_never_round_up_to_a_full_unit(void)
{
    expect_duration(0.0999, "0.10 s");
    expect_duration(0.999, "1.0 s");
    expect_duration(59.96, "1 min 0 s");
    expect_duration(3599.7, "1 h 0 min");
}

static void test_a_duration_that_is_no_number_is_a_question_mark(void)
{
    expect_duration((double)NAN, "?");
    expect_duration((double)INFINITY, "?");
    expect_duration(-1, "?");
}

static void test_a_variable_unset_or_empty_is_not_found(void)
{
    setenv("MUSTER_DATA", "/data", 1);
    EXPECT_TEXT(env_find("MUSTER_DATA"), "/data");
    setenv("MUSTER_DATA", "", 1);
    EXPECT(env_find("MUSTER_DATA") == NULL);
    unsetenv("MUSTER_DATA");
    EXPECT(env_find("MUSTER_DATA") == NULL);
}

TEST_MAIN(TEST(test_the_clock_goes_on_by_what_is_slept), TEST(test_the_wall_clock_is_the_systems),
          TEST(test_a_stamp_is_the_local_time_by_format), TEST(test_a_stamp_without_room_is_empty),
          TEST(test_durations_are_as_a_person_says_them),
          TEST(test_durations_never_round_up_to_a_full_unit),
          TEST(test_a_duration_that_is_no_number_is_a_question_mark),
          TEST(test_a_variable_unset_or_empty_is_not_found))
