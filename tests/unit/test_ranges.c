/*
 * test_ranges.c - ranges of values, and the cases that a random search draws from them.
 */
#include <math.h>

#include "base/text.h"
#include "study/range.h"
#include "study_case.h"

static struct study *draw(const char *content, int64_t random)
{
    struct study *s = NULL;

    EXPECT_OK(make(content, &(struct study_options){.random = random, .is_many = true}, &s));
    return s;
}

static void expect_refused(const char *content, int64_t random, const char *part)
{
    struct study *s = NULL;

    EXPECT_FAILS(make(content, &(struct study_options){.random = random}, &s), STATUS_BAD_INPUT,
                 part);
    EXPECT(s == NULL);
}

static double number(const struct study *s, int64_t run, const char *path)
{
    const struct node *n = node_find_path(s->runs[run].root, path);
    double value = (double)NAN;

    EXPECT(n != NULL && n->kind == NODE_SCALAR && text_to_double(n->text, &value));
    return value;
}

static void expect_value(const struct range *r, double place, const char *expected)
{
    char *value = range_value(r, place);

    EXPECT_TEXT(value, expected);
    mem_free(value);
}

/* ------------------------------------------------------------------ values */

static void test_values_have_three_digits_and_stay_between_the_limits(void)
{
    expect_value(&(struct range){.low = 0.0001, .high = 0.1, .is_log = true}, 0, "0.0001");
    expect_value(&(struct range){.low = 0.0001, .high = 0.1, .is_log = true}, 0.5, "0.00316");
    expect_value(&(struct range){.low = 0.0001, .high = 0.1, .is_log = true}, 0.999999, "0.1");
    expect_value(&(struct range){.low = 0, .high = 1}, 0.123456, "0.123");
    expect_value(&(struct range){.low = 0.12345, .high = 1}, 0, "0.12345");
    expect_value(&(struct range){.low = -1, .high = 1}, 0.25, "-0.5");
}

static void test_whole_numbers_are_equally_likely_up_to_the_upper_limit(void)
{
    const struct range even = {.low = 1, .high = 4, .is_whole = true};
    const struct range by_log = {.low = 8, .high = 127, .is_whole = true, .is_log = true};

    expect_value(&even, 0, "1");
    expect_value(&even, 0.25, "2");
    expect_value(&even, 0.74, "3");
    expect_value(&even, 0.999, "4");
    expect_value(&by_log, 0.251, "16");
    expect_value(&by_log, 0.999999, "127");
    expect_value(&(struct range){.low = 1, .high = 1e6, .is_whole = true}, 0.123456, "123000");
}

/* ------------------------------------------------------------------ cases */

static void test_cases_are_drawn_from_ranges_and_lists_with_all_folds(void)
{
    struct study *s = draw("data: {folds: 3}\n"
                           "optimizer: {lr: 0.001..0.1, momentum: [0, 0.9]}\n"
                           "train: {batch_size: 8..64}\n",
                           40);
    int64_t small = 0, with_momentum = 0;

    EXPECT_INT(s->case_count, 40);
    EXPECT_INT(s->count, 120);
    for (int64_t i = 0; i < s->count; i += 3) {
        const double lr = number(s, i, "optimizer.lr"), batch = number(s, i, "train.batch_size");

        EXPECT(lr >= 0.001 && lr <= 0.1);
        EXPECT(batch >= 8 && batch <= 64 && batch == floor(batch));
        EXPECT(number(s, i + 2, "optimizer.lr") == lr);
        small += lr < 0.01 ? 1 : 0;
        with_momentum += number(s, i, "optimizer.momentum") > 0 ? 1 : 0;
    }
    EXPECT(small > 10 && small < 30); /* half of the logarithms are */
    EXPECT(with_momentum > 10 && with_momentum < 30);
    study_free(s);
}

static void test_linear_and_log_say_how_a_range_is_drawn(void)
{
    struct study *s = draw("optimizer: {lr: linear:0.001..0.1, momentum: log:0.001..0.1}\n", 40);
    int64_t lr = 0, momentum = 0;

    for (int64_t i = 0; i < s->count; i++) {
        lr += number(s, i, "optimizer.lr") < 0.01 ? 1 : 0;
        momentum += number(s, i, "optimizer.momentum") < 0.01 ? 1 : 0;
    }
    EXPECT(lr < 10);
    EXPECT(momentum > 10 && momentum < 30);
    study_free(s);
}

static void test_draws_repeat_and_more_of_them_add_to_fewer(void)
{
    static const char content[] = "optimizer: {lr: 0.001..0.1, momentum: 0..0.99}\n";
    struct study *few = draw(content, 3), *many = draw(content, 6);
    struct study *other = draw("seed: 2\noptimizer: {lr: 0.001..0.1, momentum: 0..0.99}\n", 3);
    struct study *alone = draw("optimizer: {lr: 0.001..0.1}\n", 3);

    for (int64_t i = 0; i < few->count; i++) {
        EXPECT_TEXT(few->runs[i].name, many->runs[i].name);
        EXPECT(strcmp(few->runs[i].name, other->runs[i].name) != 0);
        EXPECT(number(few, i, "optimizer.lr") == number(alone, i, "optimizer.lr"));
    }
    study_free(few);
    study_free(many);
    study_free(other);
    study_free(alone);
}

static void test_no_case_is_drawn_twice(void)
{
    struct study *s = draw("train: {batch_size: 1..3}\n", 20);

    EXPECT_INT(s->case_count, 3);
    EXPECT_INT(s->count, 3);
    study_free(s);
}

static void test_a_range_of_one_choice_is_drawn_only_with_it(void)
{
    struct study *s = draw("optimizer: [{name: sgd, lr: 0.1..1}, {name: adam, lr: 0.001..0.01}]\n"
                           "train: {batch_size: 1..1000}\n",
                           20);
    int64_t adam = 0;

    EXPECT_INT(s->count, 20);
    for (int64_t i = 0; i < s->count; i++) {
        const char *name = node_find_path(s->runs[i].root, "optimizer.name")->text;
        const bool is_adam = strcmp(name, "adam") == 0;

        EXPECT(number(s, i, "optimizer.lr") <= (is_adam ? 0.01 : 1));
        EXPECT(number(s, i, "optimizer.lr") >= (is_adam ? 0.001 : 0.1));
        adam += is_adam ? 1 : 0;
    }
    EXPECT(adam > 2 && adam < 18);
    study_free(s);
}

static void test_named_runs_are_drawn_too(void)
{
    struct study *s = draw("train: {batch_size: 1..1000}\n"
                           "runs: {a: {optimizer: {lr: 0.1}}, b: {optimizer: {lr: 0.2}}}\n",
                           10);
    int64_t a = 0;

    EXPECT_INT(s->count, 10);
    for (int64_t i = 0; i < s->count; i++) {
        a += strcmp(s->runs[i].entry, "a") == 0 ? 1 : 0;
        EXPECT(number(s, i, "optimizer.lr") == (strcmp(s->runs[i].entry, "a") == 0 ? 0.1 : 0.2));
    }
    EXPECT(a > 0 && a < 10);
    study_free(s);
}

/* ------------------------------------------------------------------ mistakes */

static void test_a_range_that_cannot_be_drawn_from_is_refused(void)
{
    expect_refused("optimizer: {lr: 0.001..0.1}\n", 0,
                   "f.yaml:1:13: optimizer.lr: the range 0.001..0.1 needs muster search with "
                   "--random N");
    expect_refused("optimizer: {lr: [0.1, 0.01..0.1]}\n", 5, "must be the only item of its list");
    expect_refused("optimizer: {lr: 0.1..0.1}\n", 5, "must go from a number to a larger one");
    expect_refused("optimizer: {lr: 0..0.1}\n", 5, "linear:0..0.1 draws evenly");
    expect_refused("train: {batch_size: 0.5..2}\n", 5, "must be whole numbers");
    expect_refused("data: {folds: 3}\nseed: [1, 2]\ntrain: {batch_size: 1..100000}\n", 2000,
                   "more than 10000 runs");
}

static void test_text_with_two_dots_is_no_range(void)
{
    struct study *s = study_of("data: {dir: 1..2}\n");

    EXPECT(s->is_single);
    study_free(s);
}

TEST_MAIN(TEST(test_values_have_three_digits_and_stay_between_the_limits),
          TEST(test_whole_numbers_are_equally_likely_up_to_the_upper_limit),
          TEST(test_cases_are_drawn_from_ranges_and_lists_with_all_folds),
          TEST(test_linear_and_log_say_how_a_range_is_drawn),
          TEST(test_draws_repeat_and_more_of_them_add_to_fewer), TEST(test_no_case_is_drawn_twice),
          TEST(test_a_range_of_one_choice_is_drawn_only_with_it),
          TEST(test_named_runs_are_drawn_too),
          TEST(test_a_range_that_cannot_be_drawn_from_is_refused),
          TEST(test_text_with_two_dots_is_no_range))
