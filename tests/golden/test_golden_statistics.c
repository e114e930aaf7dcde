/*
 * test_golden_statistics.c - Student's t, paired tests and Holm's correction against SciPy
 * (golden_statistics.py), and what they answer in extreme cases.
 */
#include "base/statistics.h"
#include "golden/golden.h"

/* Two implementations in double; 1e4 degrees of freedom cost the most. */
#define TOLERANCE 1e-10

static void expect_close(double actual, double expected, const char *what, double at)
{
    const bool close = fabs(actual - expected) <= TOLERANCE * fabs(expected);

    if (!EXPECT(close || actual == expected || (isnan(actual) && isnan(expected))))
        printf("# %s at %.17g is %.17g, not %.17g\n", what, at, actual, expected);
}

static void check_t(const struct golden *g, double dof)
{
    const struct golden_record *points = golden_get(g, "", "points");
    const struct golden_record *probabilities = golden_get(g, "", "probabilities");
    char *name = text_format("dof/%g", dof);
    const double *cdf = golden_get(g, name, "cdf")->numbers;
    const double *two_sided = golden_get(g, name, "two_sided")->numbers;
    const double *quantile = golden_get(g, name, "quantile")->numbers;

    for (int64_t i = 0; i < points->count; i++) {
        expect_close(t_cdf(points->numbers[i], dof), cdf[i], "cdf", points->numbers[i]);
        expect_close(t_two_sided_p(points->numbers[i], dof), two_sided[i], "p", points->numbers[i]);
    }
    for (int64_t i = 0; i < probabilities->count; i++)
        expect_close(t_quantile(probabilities->numbers[i], dof), quantile[i], "quantile",
                     probabilities->numbers[i]);
    mem_free(name);
}

static void test_t_is_that_of_scipy(void)
{
    struct golden g = golden_load("statistics");
    const struct golden_record *dofs = golden_get(&g, "", "dofs");

    EXPECT(dofs->count >= 6);
    for (int64_t i = 0; i < dofs->count; i++)
        check_t(&g, dofs->numbers[i]);
    golden_release(&g);
}

/* Of one degree of freedom, where t has a closed form; SciPy has fewer digits here. */
static void test_t_near_its_centre_is_precise(void)
{
    const double pi = 3.14159265358979324;

    for (double t = 1e-12; t < 1; t *= 7) {
        const double beside = t_cdf(t, 1) - 0.5; /* exact but for the rounding of the function */

        EXPECT_NEAR(beside, atan(t) / pi, 1e-15);
        expect_close(t_quantile(0.5 + beside, 1), tan(pi * beside), "quantile", beside);
        expect_close(t_quantile(0.5 - beside, 1), -tan(pi * beside), "quantile", -beside);
    }
}

static void check_pairs(const struct golden *g, const char *name)
{
    const struct golden_record *a = golden_get(g, name, "a"), *b = golden_get(g, name, "b");
    const double *test = golden_get(g, name, "test")->numbers;
    const double permutation = golden_get(g, name, "permutation")->numbers[0];
    const struct paired_test t = paired_t_test(a->numbers, b->numbers, a->count);
    const double p = paired_permutation_p(a->numbers, b->numbers, a->count);

    expect_close(t.difference, test[0], "difference", 0);
    expect_close(t.deviation, test[1], "deviation", 0);
    expect_close(t.low, test[2], "low", 0);
    expect_close(t.high, test[3], "high", 0);
    expect_close(t.p, test[4], "p", 0);
    if (golden_get(g, name, "drawn")->numbers[0] == 0) {
        EXPECT_INT(a->count <= PERMUTATION_EXACT_PAIRS, true);
        expect_close(p, permutation, "p of permutations", 0);
    } else {
        EXPECT(a->count > PERMUTATION_EXACT_PAIRS);
        EXPECT_NEAR(p, permutation, 0.006); /* 4 deviations of two drawn ones, 65536 and 200000 */
    }
}

static void test_paired_tests_are_those_of_scipy(void)
{
    struct golden g = golden_load("statistics");

    EXPECT(golden_for_cases(&g, "pairs", check_pairs) >= 9);
    golden_release(&g);
}

static void check_holm(const struct golden *g, const char *name)
{
    char *record = text_format("holm_%s", name);
    const struct golden_record *p = golden_get(g, record, "p");
    const double *expected = golden_get(g, record, "adjusted")->numbers;
    double adjusted[8];

    CHECK(p->count <= 8);
    holm_adjust(p->numbers, p->count, adjusted);
    for (int64_t i = 0; i < p->count; i++)
        expect_close(adjusted[i], expected[i], "Holm's p", p->numbers[i]);
    mem_free(record);
}

static void test_holm_is_as_defined(void)
{
    struct golden g = golden_load("statistics");

    EXPECT(golden_for_cases(&g, "holm", check_holm) >= 5);
    golden_release(&g);
}

static void test_the_count_needed_is_the_first_whose_interval_excludes_0(void)
{
    struct golden g = golden_load("statistics");
    const struct golden_record *needed = golden_get(&g, "", "needed");

    EXPECT(needed->count >= 40);
    for (const double *c = needed->numbers; c < needed->numbers + needed->count; c += 4)
        EXPECT_INT(t_count_needed(c[0], c[1], c[2]), c[3]);
    golden_release(&g);
}

/* --- extreme cases --- */

static void test_one_number_has_a_mean_and_no_deviation(void)
{
    const double x[] = {3, 5};

    EXPECT(isnan(statistics_mean(x, 0)) && isnan(statistics_deviation(x, 0)));
    EXPECT(statistics_mean(x, 1) == 3 && isnan(statistics_deviation(x, 1)));
    EXPECT(statistics_mean(x, 2) == 4);
    EXPECT_NEAR(statistics_deviation(x, 2), sqrt(2), 1e-15);
    EXPECT(isnan(t_half_width(1, 1, STATISTICS_LEVEL)));
    EXPECT(t_half_width(0, 5, STATISTICS_LEVEL) == 0);
    EXPECT_NEAR(t_half_width(sqrt(2), 2, STATISTICS_LEVEL), 12.706204736432095, 1e-9); /* tables */
}

static void test_one_pair_says_nothing(void)
{
    const double a[] = {1}, b[] = {2};
    const struct paired_test t = paired_t_test(a, b, 1);

    EXPECT(isnan(t.difference) && isnan(t.deviation) && isnan(t.low) && isnan(t.high));
    EXPECT(isnan(t.p) && isnan(paired_permutation_p(a, b, 1)));
}

static void test_equal_pairs_do_not_differ(void)
{
    double a[] = {0.1, 0.2, 0.3}, b[] = {0.1, 0.2, 0.3};
    struct paired_test t = paired_t_test(a, b, 3);

    EXPECT(t.difference == 0 && t.low == 0 && t.high == 0 && t.p == 1);
    EXPECT(paired_permutation_p(a, b, 3) == 1);
    b[0] = b[1] - 0.1; /* not quite 0.1: rounding is no difference */
    b[2] = 0.1 + 0.2;
    EXPECT(a[2] != b[2]);
    t = paired_t_test(a, b, 3);
    EXPECT(t.difference == 0 && t.p == 1 && paired_permutation_p(a, b, 3) == 1);
}

static void test_pairs_that_all_differ_by_the_same_are_certain(void)
{
    const double a[] = {1, 2, 3, 4}, b[] = {0.5, 1.5, 2.5, 3.5};
    const struct paired_test t = paired_t_test(a, b, 4);

    EXPECT(t.difference == 0.5 && t.deviation == 0 && t.low == 0.5 && t.high == 0.5 && t.p == 0);
    EXPECT(paired_permutation_p(a, b, 4) == 2.0 / 16);
}

static void test_nan_stays_nan(void)
{
    const double nan = (double)NAN, a[] = {1, nan, 3}, b[] = {0, 0, 0};
    const struct paired_test t = paired_t_test(a, b, 3);
    const double p[] = {0.04, nan, 0.01};
    double adjusted[3];

    EXPECT(isnan(t.difference) && isnan(t.low) && isnan(t.p));
    EXPECT(isnan(paired_permutation_p(a, b, 3)));
    EXPECT(isnan(t_cdf(nan, 3)) && isnan(t_cdf(1, nan)) && isnan(t_cdf(1, 0)));
    EXPECT(isnan(t_quantile(nan, 3)) && isnan(t_quantile(0.9, nan)) && isnan(t_quantile(1.1, 3)));
    EXPECT(isnan(t_half_width(nan, 3, STATISTICS_LEVEL)));
    EXPECT_INT(t_count_needed(nan, 1, STATISTICS_LEVEL), -1);
    EXPECT_INT(t_count_needed(1, nan, STATISTICS_LEVEL), -1);
    holm_adjust(p, 3, adjusted);
    EXPECT(adjusted[0] == 0.04 && isnan(adjusted[1]) && adjusted[2] == 0.02);
}

static void test_no_count_is_enough_for_no_difference(void)
{
    EXPECT_INT(t_count_needed(0, 1, STATISTICS_LEVEL), -1);
    EXPECT_INT(t_count_needed(0, 0, STATISTICS_LEVEL), -1);
}

static void test_the_ends_of_t_are_infinite(void)
{
    EXPECT(t_cdf(-(double)INFINITY, 4) == 0 && t_cdf((double)INFINITY, 4) == 1);
    EXPECT(t_two_sided_p((double)INFINITY, 4) == 0 && t_cdf(0, 4) == 0.5);
    EXPECT(t_quantile(0, 4) == -(double)INFINITY && t_quantile(1, 4) == (double)INFINITY);
}

static void test_drawn_permutations_are_always_the_same(void)
{
    double a[200], b[200];

    for (int i = 0; i < 200; i++) {
        a[i] = golden_noise(1, i) + 0.1;
        b[i] = golden_noise(2, i);
    }
    const double p = paired_permutation_p(a, b, 200);

    EXPECT(p > 0 && p < 0.2 && p == paired_permutation_p(a, b, 200));
    EXPECT_NEAR(p, paired_t_test(a, b, 200).p, 0.005); /* close for 200 pairs */
}

TEST_MAIN(TEST(test_t_is_that_of_scipy), TEST(test_t_near_its_centre_is_precise),
          TEST(test_paired_tests_are_those_of_scipy), TEST(test_holm_is_as_defined),
          TEST(test_the_count_needed_is_the_first_whose_interval_excludes_0),
          TEST(test_one_number_has_a_mean_and_no_deviation), TEST(test_one_pair_says_nothing),
          TEST(test_equal_pairs_do_not_differ),
          TEST(test_pairs_that_all_differ_by_the_same_are_certain), TEST(test_nan_stays_nan),
          TEST(test_no_count_is_enough_for_no_difference), TEST(test_the_ends_of_t_are_infinite),
          TEST(test_drawn_permutations_are_always_the_same))
