/*
 * test_options_map.c - the map of a study over two options.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "report/options_map.h"
#include "test.h"

enum { KEYS_MAX = 3 };

/* A study over lr, momentum and batch_size; a value "" is not given. */
struct sample {
    const char *values[KEYS_MAX];
    double accuracy;
};

static void fill(struct subject *s, const struct sample *samples, int64_t count)
{
    static const char *const keys[KEYS_MAX] = {"lr", "momentum", "batch_size"};

    *s = (struct subject){.results = {.cases = MEM_NEW_N(struct results_case, count)}};
    for (int64_t i = 0; i < count; i++) {
        struct results_case *c = &s->results.cases[s->results.case_count++];

        for (int n = 0; n < RESULT_NUMBERS; n++)
            c->numbers[n].mean = (double)NAN;
        c->numbers[RESULT_ACCURACY].mean = samples[i].accuracy;
        c->values.items = MEM_NEW_N(struct results_value, KEYS_MAX);
        for (int k = 0; k < KEYS_MAX; k++)
            if (samples[i].values[k][0] != '\0')
                c->values.items[c->values.count++] =
                    (struct results_value){keys[k], samples[i].values[k]};
    }
}

static bool draw(const struct sample *samples, int64_t count, struct figure *f)
{
    struct subject s;

    fill(&s, samples, count);
    *f = (struct figure){0};
    const bool drawn = options_map_figure(&s, f);
    results_release(&s.results);
    return drawn;
}

static void expect_not_drawn(const struct sample *samples, int64_t count)
{
    struct figure f;

    EXPECT(!draw(samples, count, &f));
    figure_release(&f);
}

static const char *number(const struct figure *f, int64_t row, int64_t column)
{
    return f->numbers.cells[row * f->numbers.columns + column];
}

/* ------------------------------------------------------------------ tests */

static const struct sample grid[] = {
    {{"0.1", "0", ""},    0.5        },
    {{"0.1", "0.9", ""},  0.75       },
    {{"0.02", "0", ""},   0.25       },
    {{"0.02", "0.9", ""}, (double)NAN},
    {{"1", "0", ""},      0.125      },
    {{"1", "0.9", ""},    0.1        },
};

static void test_a_study_over_two_options_is_a_map_with_its_best_cell_marked(void)
{
    struct figure f;

    EXPECT(draw(grid, 6, &f));
    EXPECT_TEXT(f.name, "options");
    EXPECT_TEXT(f.caption, "Mean test % by lr and momentum; a strong colour is good, and the frame "
                           "is the best case.");
    EXPECT(strstr(text_get(&f.svg), ">75.00</text>") != NULL);
    EXPECT(strstr(text_get(&f.svg), "class=\"best\"") != NULL);
    EXPECT_INT(f.numbers.rows, 6); /* a row of titles, and none for what has not run */
    EXPECT_TEXT(number(&f, 0, 0), "lr");
    EXPECT_TEXT(number(&f, 0, 2), "accuracy");
    EXPECT_TEXT(number(&f, 1, 0), "0.02"); /* numbers are sorted */
    EXPECT_TEXT(number(&f, 1, 2), "0.25");
    EXPECT_TEXT(number(&f, 3, 1), "0.9");
    EXPECT_TEXT(number(&f, 3, 2), "0.75");
    EXPECT_TEXT(number(&f, 5, 0), "1");
    figure_release(&f);
}

static const struct sample three_options[] = {
    {{"1", "0", "8"},    0.5},
    {{"2", "0", "8"},    0.6},
    {{"1", "0.9", "8"},  0.9},
    {{"2", "0.9", "8"},  0.3},
    {{"1", "0", "16"},   0.2},
    {{"2", "0", "16"},   0.1},
    {{"1", "0.9", "16"}, 0.4},
    {{"2", "0.9", "16"}, 0.2},
    {{"1", "0", "32"},   0.2},
    {{"1", "0.9", "32"}, 0.7},
};

/* batch_size has three values, lr comes before momentum. */
static void test_of_more_options_the_two_with_the_most_values_are_shown_at_the_best_case(void)
{
    struct figure f;

    EXPECT(draw(three_options, 10, &f));
    EXPECT_TEXT(f.caption, "Mean test % by lr and batch_size; a strong colour is good, and the "
                           "frame is the best case. All others are as in the best case: "
                           "momentum=0.9.");
    EXPECT_INT(f.numbers.rows, 6);
    EXPECT_TEXT(number(&f, 1, 1), "8");
    EXPECT_TEXT(number(&f, 1, 2), "0.9");
    EXPECT_TEXT(number(&f, 2, 2), "0.4");
    EXPECT_TEXT(number(&f, 5, 2), "0.2");
    figure_release(&f);
}

static void test_there_is_no_map_of_one_option_or_of_scattered_values_or_without_a_best_case(void)
{
    static const struct sample one[] = {
        {{"1", "0", ""}, 0.5},
        {{"2", "0", ""}, 0.6}
    };
    static const struct sample scattered[] = {
        {{"1", "0.1", ""}, 0.5},
        {{"2", "0.2", ""}, 0.6},
        {{"3", "0.3", ""}, 0.7},
        {{"4", "0.4", ""}, 0.8}
    };
    static const struct sample none[] = {
        {{"1", "0", ""}, (double)NAN},
        {{"2", "1", ""}, (double)NAN}
    };

    expect_not_drawn(one, 2);
    expect_not_drawn(scattered, 4);
    expect_not_drawn(none, 2);
    expect_not_drawn(NULL, 0);
}

TEST_MAIN(TEST(test_a_study_over_two_options_is_a_map_with_its_best_cell_marked),
          TEST(test_of_more_options_the_two_with_the_most_values_are_shown_at_the_best_case),
          TEST(test_there_is_no_map_of_one_option_or_of_scattered_values_or_without_a_best_case))
