/*
 * test_amount.c - amounts of training, as options say them.
 */
#include <math.h>

#include "base/mem.h"
#include "record/amount.h"
#include "test.h"

static void expect_amount(const char *text, enum amount_unit unit, double value, const char *again)
{
    struct amount a;

    EXPECT_OK(amount_read(text, &a));
    EXPECT_INT(a.unit, unit);
    EXPECT(fabs(a.value - value) < 1e-9 * value);
    char *written = amount_text(&a);
    EXPECT_TEXT(written, again);
    mem_free(written);
}

static void test_numbers_have_suffixes_and_are_written_in_one_way(void)
{
    expect_amount("samples:360000", AMOUNT_SAMPLES, 360000, "samples:360000");
    expect_amount("samples:360k", AMOUNT_SAMPLES, 360000, "samples:360000");
    expect_amount("bytes:1.5G", AMOUNT_BYTES, 1.5e9, "bytes:1500000000");
    expect_amount("bytes:9000T", AMOUNT_BYTES, 9e15, "bytes:9000000000000000");
    expect_amount("rounds:2M", AMOUNT_ROUNDS, 2e6, "rounds:2000000");
    expect_amount("epochs:0.5", AMOUNT_EPOCHS, 0.5, "epochs:0.5");
    expect_amount("seconds:90", AMOUNT_SECONDS, 90, "seconds:90");
    expect_amount("seconds:90s", AMOUNT_SECONDS, 90, "seconds:90");
    expect_amount("seconds:1.5min", AMOUNT_SECONDS, 90, "seconds:90");
    expect_amount("seconds:2h", AMOUNT_SECONDS, 7200, "seconds:7200");
    expect_amount("seconds:0.25", AMOUNT_SECONDS, 0.25, "seconds:0.25");
}

static void test_what_is_no_amount_is_told(void)
{
    static const char *const no_unit[] = {"", "100", "bytes", NULL};
    static const char *const unknown_unit[] = {"byte:3", "weeks:2", ":5", NULL};
    static const char *const no_number[] = {"bytes:",     "bytes:G",     "bytes:x",    "bytes:1m",
                                            "seconds:5k", "samples:1 k", "rounds:nan", NULL};
    static const char *const too_far[] = {"bytes:0", "rounds:-1", "samples:1e17", "seconds:inf",
                                          NULL};
    struct amount a;

    for (int i = 0; no_unit[i] != NULL; i++)
        EXPECT_FAILS(amount_read(no_unit[i], &a), STATUS_BAD_INPUT, "has no unit");
    for (int i = 0; unknown_unit[i] != NULL; i++)
        EXPECT_FAILS(amount_read(unknown_unit[i], &a), STATUS_BAD_INPUT, "has an unknown unit");
    for (int i = 0; no_number[i] != NULL; i++)
        EXPECT_FAILS(amount_read(no_number[i], &a), STATUS_BAD_INPUT, "is not a number of");
    for (int i = 0; too_far[i] != NULL; i++)
        EXPECT_FAILS(amount_read(too_far[i], &a), STATUS_BAD_INPUT, "is not above 0");
    EXPECT_FAILS(amount_read("rounds:2.5", &a), STATUS_BAD_INPUT,
                 "is not a whole number of rounds");
    EXPECT_INT(a.unit, AMOUNT_NONE);
}

TEST_MAIN(TEST(test_numbers_have_suffixes_and_are_written_in_one_way),
          TEST(test_what_is_no_amount_is_told))
