/*
 * test_text.c - base/text.h.
 */
#include <float.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "test.h"

static void test_a_zeroed_text_is_empty(void)
{
    struct text t = {0};

    EXPECT_TEXT(text_get(&t), "");
    text_release(&t);
    text_release(&t); /* may be called twice */
}

static void test_additions_follow_each_other(void)
{
    struct text t = {0};

    text_add(&t, "ab");
    text_add_n(&t, "cdef", 2);
    text_addf(&t, "%d-%s", 7, "x");
    EXPECT_TEXT(text_get(&t), "abcd7-x");
    EXPECT_INT(t.length, 7);
    text_clear(&t);
    EXPECT_TEXT(text_get(&t), "");
    text_release(&t);
}

static void test_a_text_grows_without_limit_and_keeps_its_content(void)
{
    struct text t = {0};

    for (int i = 0; i < 20000; i++)
        text_addf(&t, "%05d", i);
    EXPECT_INT(t.length, 100000);
    EXPECT_TEXT(text_get(&t) + 99995, "19999");
    EXPECT(memcmp(text_get(&t) + 3885, "00777", 5) == 0);
    text_release(&t);
}

static void test_a_taken_string_belongs_to_the_caller(void)
{
    struct text t = {0};

    text_add(&t, "mine");

    char *taken = text_take(&t), *nothing = text_take(&t), *made = text_format("%s%d", "lenet", 5);

    EXPECT_TEXT(taken, "mine");
    EXPECT_TEXT(nothing, "");
    EXPECT_TEXT(made, "lenet5");
    EXPECT(t.data == NULL);
    mem_free(taken);
    mem_free(nothing);
    mem_free(made);
}

static void test_dash_and_underscore_are_the_same_in_names(void)
{
    EXPECT(text_same_name("batch-size", "batch_size"));
    EXPECT(text_same_name("", ""));
    EXPECT(!text_same_name("batch-size", "batch-siz"));
    EXPECT(!text_same_name("batch", "batch-"));
    EXPECT(!text_same_name("Batch", "batch"));
}

static const char *const names[] = {"learning_rate", "momentum", "weight_decay", "batch_size", "lr",
                                    "epochs",        NULL};

static void test_misspelt_names_find_their_nearest(void)
{
    EXPECT_TEXT(text_nearest("momentun", names), "momentum");
    EXPECT_TEXT(text_nearest("batch-szie", names), "batch_size");
    EXPECT_TEXT(text_nearest("weight-decay", names), "weight_decay");
    EXPECT_TEXT(text_nearest("lernin_rate", names), "learning_rate");
    EXPECT_TEXT(text_nearest("rl", names), "lr");
    EXPECT_TEXT(text_nearest("epoch", names), "epochs");
}

static void test_names_that_are_far_from_all_find_nothing(void)
{
    char long_word[300];

    memset(long_word, 'm', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    EXPECT(text_nearest("colour", names) == NULL);
    EXPECT(text_nearest("x", names) == NULL);
    EXPECT(text_nearest("", names) == NULL);
    EXPECT(text_nearest(long_word, names) == NULL);
}

static void test_whole_numbers_are_read_exactly(void)
{
    int64_t v = 0;

    EXPECT(text_to_int("-42", &v) && v == -42);
    EXPECT(text_to_int("+7", &v) && v == 7);
    EXPECT(text_to_int("9223372036854775807", &v) && v == INT64_MAX);
    EXPECT(text_to_int("-9223372036854775808", &v) && v == INT64_MIN);
}

static void test_what_is_not_a_whole_number_is_refused(void)
{
    static const char *const bad[] = {
        "", " 1", "1 ", "1.0", "1e3", "0x10", "--1", "-", "9223372036854775808", "1_000", "one"};
    int64_t v = 5;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (!EXPECT(!text_to_int(bad[i], &v)))
            printf("# accepted: \"%s\"\n", bad[i]);
    EXPECT_INT(v, 5);
}

static void test_real_numbers_are_read(void)
{
    double v = 0;

    EXPECT(text_to_double("1e-3", &v) && v == 1e-3);
    EXPECT(text_to_double("-.5", &v) && v == -0.5);
    EXPECT(text_to_double("5e-324", &v) && v == 5e-324);
    EXPECT(text_to_double("inf", &v) && isinf(v));
    EXPECT(text_to_double("-inf", &v) && isinf(v) && v < 0);
}

static void test_what_is_not_a_real_number_is_refused(void)
{
    static const char *const bad[] = {"",      "nan",    "-nan", " 1",   "1 ",   "0x1p3",
                                      "1e999", "1..2",   "1,5",  ".",    "e5",   "+",
                                      "infx",  "nan(1)", "i",    "1e5x", "0X10", "--1.0"};
    double v = 5;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (!EXPECT(!text_to_double(bad[i], &v)))
            printf("# accepted: \"%s\"\n", bad[i]);
    EXPECT(v == 5);
}

static void expect_double(double value, const char *expected)
{
    struct text t = {0};

    text_add_double(&t, value);
    EXPECT_TEXT(text_get(&t), expected);
    text_release(&t);
}

/* The expected texts are those of Python's repr, in %g's spelling. */
static void test_whole_numbers_are_written(void)
{
    struct text t = {0};
    const int64_t numbers[] = {0, 7, -7, 1234567890, INT64_MAX, INT64_MIN};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_add_int(&t, numbers[i]);
        text_add(&t, " ");
    }
    EXPECT_TEXT(text_get(&t), "0 7 -7 1234567890 9223372036854775807 -9223372036854775808 ");
    text_release(&t);
}

static void test_doubles_are_written_as_short_as_can_be(void)
{
    expect_double(0.1, "0.1");
    expect_double(1e-5, "1e-05");
    expect_double(3, "3");
    expect_double(-0.0, "-0");
    expect_double(1.0 / 3, "0.3333333333333333");
    expect_double(0.1 + 0.2, "0.30000000000000004");
    expect_double(5e-324, "5e-324");
    expect_double(DBL_MAX, "1.7976931348623157e+308");
    expect_double((double)INFINITY, "inf");
    expect_double(-(double)INFINITY, "-inf");
    expect_double((double)NAN, "nan");
}

static void test_doubles_of_any_bits_read_back_as_the_same(void)
{
    const struct rng r = rng_make(1, RNG_TEST, 0);
    struct text t = {0};

    for (uint64_t i = 0; i < 20000; i++) {
        const uint64_t bits = rng_bits(&r, i, 0);
        double value;

        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        text_clear(&t);
        text_add_double(&t, value);
        EXPECT(strtod(text_get(&t), NULL) == value);
    }
    text_release(&t);
}

static void test_numbers_for_people_have_fixed_digits_unless_they_are_huge(void)
{
    static const struct {
        double value;
        int digits;
        const char *expected;
    } cases[] = {
        {2.34567,          4, "2.3457"   },
        {0,                2, "0.00"     },
        {999999.5,         2, "999999.50"},
        {1e6,              4, "1e+06"    },
        {1.2345678e30,     4, "1.235e+30"},
        {-3.5e300,         2, "-3.5e+300"},
        {123456789.0,      0, "123456789"},
        {1e15,             0, "1e+15"    },
        {(double)INFINITY, 4, "inf"      },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text t = {0};

        text_add_fixed(&t, cases[i].value, cases[i].digits);
        EXPECT_TEXT(text_get(&t), cases[i].expected);
        text_release(&t);
    }
}

/* The test vectors of FNV-1a's authors. */
static void test_the_hash_of_a_text_is_fnv_1a(void)
{
    EXPECT(text_hash("") == 0xcbf29ce484222325U);
    EXPECT(text_hash("a") == 0xaf63dc4c8601ec8cU);
    EXPECT(text_hash("foobar") == 0x85944171f73967e8U);
}

static void test_well_formed_utf8_is_accepted(void)
{
    static const char *const good[] = {
        "", "plain", "Grüße", "日本", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        EXPECT(text_is_utf8(good[i], strlen(good[i])));
}

static void test_ill_formed_utf8_is_refused(void)
{
    static const char *const bad[] = {
        "\x80",             /* a continuation alone */
        "\xc3",             /* cut off */
        "\xc0\xaf",         /* overlong '/' */
        "\xe0\x80\xaf",     /* overlong */
        "\xf0\x80\x80\xaf", /* overlong */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* beyond U+10FFFF */
        "\xff",
        "a\xc3(",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        EXPECT(!text_is_utf8(bad[i], strlen(bad[i])));
}

TEST_MAIN(TEST(test_a_zeroed_text_is_empty), TEST(test_additions_follow_each_other),
          TEST(test_a_text_grows_without_limit_and_keeps_its_content),
          TEST(test_a_taken_string_belongs_to_the_caller),
          TEST(test_dash_and_underscore_are_the_same_in_names),
          TEST(test_misspelt_names_find_their_nearest),
          TEST(test_names_that_are_far_from_all_find_nothing),
          TEST(test_whole_numbers_are_read_exactly),
          TEST(test_what_is_not_a_whole_number_is_refused), TEST(test_real_numbers_are_read),
          TEST(test_what_is_not_a_real_number_is_refused), TEST(test_whole_numbers_are_written),
          TEST(test_doubles_are_written_as_short_as_can_be),
          TEST(test_doubles_of_any_bits_read_back_as_the_same),
          TEST(test_numbers_for_people_have_fixed_digits_unless_they_are_huge),
          TEST(test_the_hash_of_a_text_is_fnv_1a), TEST(test_well_formed_utf8_is_accepted),
          TEST(test_ill_formed_utf8_is_refused))
