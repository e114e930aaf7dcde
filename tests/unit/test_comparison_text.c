/*
 * test_comparison_text.c - the tables of a study for people.
 */
#include "results_case.h"
#include "study/comparison.h"
#include "study/paired_show.h"

static char *text_of(const struct results *r)
{
    struct text out = {0};

    comparison_text(r, &out);
    return text_take(&out);
}

/* Numbers of the second table: SciPy's ttest_rel of these. */
static void test_the_table_marks_the_best_and_says_what_its_signs_mean(void)
{
    static const char *const names[] = {"sync", "local-sgd", "single"};
    static const double values[3][RESULTS_CASE_SEEDS] = {
        {0.70, 0.74, 0.71, 0.75, 0.70},
        {0.60, 0.66, 0.62, 0.64, 0.61},
        {0.71, 0.70, 0.72, 0.73, 0.70},
    };
    struct results r;

    results_case_fill(&r, names, 3, RESULT_ACCURACY, values);
    char *text = text_of(&r);

    EXPECT_TEXT(text,
                "algorithm  seeds  best        test %\n"
                "sync           5     *  72.00 \xC2\xB1 2.91\n"
                "local-sgd      5        62.60 \xC2\xB1 2.99\n"
                "single         5     *  71.20 \xC2\xB1 1.62\n"
                "\xC2\xB1: 95 % confidence interval of the mean over seeds\n"
                "*: best test %, and cases that are not distinguishable from it\n"
                "\n"
                "compared with the best (algorithm=sync) over seeds, test %, paired t test:\n"
                "algorithm  seeds  difference    95 % interval  p (Holm)  more seeds needed\n"
                "single         5       -0.80    -3.49 to 1.89      0.46                 26\n"
                "local-sgd      5       -9.40  -10.82 to -7.98    0.0001                  0\n");
    mem_free(text);
    results_release(&r);
}

static void test_one_seed_has_no_signs(void)
{
    static const char *const names[] = {"sync", "single"};
    const double none = (double)NAN;
    const double values[2][RESULTS_CASE_SEEDS] = {
        {0.70, none, none, none, none},
        {0.60, none, none, none, none},
    };
    struct results r;

    results_case_fill(&r, names, 2, RESULT_ACCURACY, values);
    char *text = text_of(&r);

    EXPECT_TEXT(text, "algorithm  seeds  test %\n"
                      "sync           1   70.00\n"
                      "single         1   60.00\n");
    mem_free(text);
    results_release(&r);
}

static void test_equal_cases_are_shown_without_nonsense(void)
{
    static const char *const names[] = {"sync", "single", "worse"};
    static const double values[3][RESULTS_CASE_SEEDS] = {
        {0.70, 0.70, 0.70, 0.70, 0.70},
        {0.70, 0.70, 0.70, 0.70, 0.70},
        {0.60, 0.60, 0.60, 0.60, 0.60},
    };
    struct results r;

    results_case_fill(&r, names, 3, RESULT_ACCURACY, values);
    char *text = text_of(&r);

    EXPECT_HAS(text, "sync           5     *   70.00\n"
                     "single         5     *   70.00\n"
                     "worse          5         60.00\n"
                     "*: best");
    EXPECT_HAS(text,
               "single         5        0.00      0.00 to 0.00         1                  -\n"
               "worse          5      -10.00  -10.00 to -10.00   <0.0001                  0\n");
    mem_free(text);
    results_release(&r);
}

static void test_of_many_cases_those_nearest_to_the_best_are_shown(void)
{
    enum { CASES = 30 };
    double values[CASES][RESULTS_CASE_SEEDS];
    char letters[CASES][4];
    const char *names[CASES];
    struct results r;

    for (int i = 0; i < CASES; i++) {
        (void)snprintf(letters[i], sizeof letters[i], "n%d", i);
        names[i] = letters[i];
        for (int s = 0; s < RESULTS_CASE_SEEDS; s++)
            values[i][s] = 0.02 * i + 0.01 * ((i * s) % 3);
    }
    results_case_fill(&r, names, CASES, RESULT_ACCURACY, (const double(*)[5])values);
    char *text = text_of(&r);
    const char *second = strstr(text, "compared with the best (algorithm=n29)");

    if (EXPECT(second != NULL)) {
        EXPECT_HAS(second, "\nn28 ");
        EXPECT_HAS(second, "\nn10 ");
        EXPECT(strstr(second, "\nn8 ") == NULL);
        EXPECT_HAS(second, "\n9 more cases are left out; their difference is larger\n");
    }
    mem_free(text);
    results_release(&r);
}

TEST_MAIN(TEST(test_the_table_marks_the_best_and_says_what_its_signs_mean),
          TEST(test_one_seed_has_no_signs), TEST(test_equal_cases_are_shown_without_nonsense),
          TEST(test_of_many_cases_those_nearest_to_the_best_are_shown))
