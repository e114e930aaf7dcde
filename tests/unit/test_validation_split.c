/*
 * test_validation_split.c - the training fraction and the validation part.
 */
#include "base/mem.h"
#include "data/validation_split.h"
#include "test.h"

enum { COUNT = 1000 };

static void mark(int64_t *marks, const int64_t *items, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        EXPECT(items[i] >= 0 && items[i] < COUNT);
        EXPECT(i == 0 || items[i - 1] < items[i]);
        marks[items[i]]++;
    }
}

static void test_the_parts_are_ascending_and_share_no_sample(void)
{
    int64_t marks[COUNT] = {0}, used = 0;
    struct validation_split s;

    EXPECT_OK(validation_split_init(&s, COUNT, 0.8, 0.25, 7));
    EXPECT_INT(s.train_count, 600);
    EXPECT_INT(s.validation_count, 200);
    mark(marks, s.train, s.train_count);
    mark(marks, s.validation, s.validation_count);
    for (int64_t i = 0; i < COUNT; i++) {
        EXPECT(marks[i] <= 1);
        used += marks[i];
    }
    EXPECT_INT(used, 800);
    validation_split_release(&s);
    validation_split_release(&s);
}

static void test_everything_is_trained_on_by_default(void)
{
    struct validation_split s;

    EXPECT_OK(validation_split_init(&s, COUNT, 1.0, 0.0, 7));
    EXPECT_INT(s.train_count, COUNT);
    EXPECT_INT(s.validation_count, 0);
    for (int64_t i = 0; i < COUNT; i++)
        EXPECT_INT(s.train[i], i);
    validation_split_release(&s);
}

static void test_counts_are_floors_as_a_person_computes_them(void)
{
    static const struct {
        int64_t count;
        double fraction, validation;
        int64_t train, rest;
    } cases[] = {
        {60000, 1.0,  0.1, 54000, 6000}, /* S000's --val */
        {60000, 0.5,  0.1, 27000, 3000},
        {100,   0.29, 0.0, 29,    0   }, /* 0.29 * 100 is 28.999999999999996 in doubles */
        {101,   0.5,  0.0, 50,    0   },
        {11,    1.0,  0.1, 9,     2   }, /* floor(9.9), and the rest validates */
        {10,    1.0,  0.3, 7,     3   },
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct validation_split s;

        EXPECT_OK(
            validation_split_init(&s, cases[k].count, cases[k].fraction, cases[k].validation, 1));
        EXPECT_INT(s.train_count, cases[k].train);
        EXPECT_INT(s.validation_count, cases[k].rest);
        validation_split_release(&s);
    }
}

static bool same(const struct validation_split *a, const struct validation_split *b)
{
    return a->train_count == b->train_count &&
           memcmp(a->train, b->train, (size_t)a->train_count * sizeof *a->train) == 0 &&
           memcmp(a->validation, b->validation,
                  (size_t)a->validation_count * sizeof *a->validation) == 0;
}

static void test_the_split_is_a_function_of_the_seed(void)
{
    struct validation_split a, b, c;

    EXPECT_OK(validation_split_init(&a, COUNT, 0.5, 0.1, 1));
    EXPECT_OK(validation_split_init(&b, COUNT, 0.5, 0.1, 1));
    EXPECT_OK(validation_split_init(&c, COUNT, 0.5, 0.1, 2));
    EXPECT(same(&a, &b));
    EXPECT(!same(&a, &c));
    validation_split_release(&a);
    validation_split_release(&b);
    validation_split_release(&c);
}

static void test_a_smaller_fraction_is_part_of_a_larger_one(void)
{
    int64_t marks[COUNT] = {0};
    struct validation_split small, large;

    EXPECT_OK(validation_split_init(&small, COUNT, 0.2, 0.0, 3));
    EXPECT_OK(validation_split_init(&large, COUNT, 0.6, 0.0, 3));
    mark(marks, large.train, large.train_count);
    for (int64_t i = 0; i < small.train_count; i++)
        EXPECT_INT(marks[small.train[i]], 1);
    validation_split_release(&small);
    validation_split_release(&large);
}

static void test_fractions_out_of_range_and_empty_parts_are_refused(void)
{
    struct validation_split s;

    EXPECT_FAILS(validation_split_init(&s, COUNT, 0.0, 0.0, 1), STATUS_BAD_INPUT,
                 "0 is outside (0, 1]");
    EXPECT_FAILS(validation_split_init(&s, COUNT, 1.5, 0.0, 1), STATUS_BAD_INPUT,
                 "1.5 is outside (0, 1]");
    EXPECT_FAILS(validation_split_init(&s, COUNT, (double)NAN, 0.0, 1), STATUS_BAD_INPUT,
                 "outside (0, 1]");
    EXPECT_FAILS(validation_split_init(&s, COUNT, 1.0, 1.0, 1), STATUS_BAD_INPUT,
                 "1 is outside [0, 1)");
    EXPECT_FAILS(validation_split_init(&s, COUNT, 1.0, -0.1, 1), STATUS_BAD_INPUT,
                 "outside [0, 1)");
    EXPECT_FAILS(validation_split_init(&s, COUNT, 0.0001, 0.0, 1), STATUS_BAD_INPUT, "leaves none");
    EXPECT_FAILS(validation_split_init(&s, 2, 1.0, 0.6, 1), STATUS_BAD_INPUT,
                 "leaves none to train on");
    EXPECT_FAILS(validation_split_init(&s, 2, 1.0, 1e-12, 1), STATUS_BAD_INPUT,
                 "of 2 samples is less than one sample");
    EXPECT(s.train == NULL && s.validation == NULL);
}

TEST_MAIN(TEST(test_the_parts_are_ascending_and_share_no_sample),
          TEST(test_everything_is_trained_on_by_default),
          TEST(test_counts_are_floors_as_a_person_computes_them),
          TEST(test_the_split_is_a_function_of_the_seed),
          TEST(test_a_smaller_fraction_is_part_of_a_larger_one),
          TEST(test_fractions_out_of_range_and_empty_parts_are_refused))
