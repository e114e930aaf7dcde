/*
 * test_paired_cases.c - the best case of a study, and the others compared with it.
 */
#include "record/paired_cases.h"
#include "results_case.h"

#define NONE ((double)NAN)

static const char *const names[] = {"a", "b", "c", "d"};

/* Mean 0.72; b is worse in each seed, c now and then better, d is the same as a. */
static const double four[4][RESULTS_CASE_SEEDS] = {
    {0.70, 0.74, 0.71, 0.75, 0.70},
    {0.60, 0.66, 0.62, 0.64, 0.61},
    {0.71, 0.70, 0.72, 0.73, 0.70},
    {0.70, 0.74, 0.71, 0.75, 0.70},
};

static void test_the_best_is_first_and_the_others_are_compared_with_it(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 3, RESULT_ACCURACY, four);
    paired_cases_init(&p, &r);
    EXPECT_INT(p.number, RESULT_ACCURACY);
    EXPECT(p.count == 3 && p.compared == 2);
    EXPECT(p.items[0].index == 0 && p.items[0].is_best && !p.items[0].is_compared);
    EXPECT(p.items[1].index == 2 && p.items[2].index == 1);

    const struct paired_case *b = paired_cases_find(&p, 1), *c = paired_cases_find(&p, 2);
    const struct paired_test t = paired_t_test(four[1], four[0], 5);

    EXPECT(b->is_compared && b->is_distinguishable && !b->is_tied && b->seeds == 5);
    EXPECT_NEAR(b->difference, t.difference, 1e-15); /* seeds are added in another order */
    EXPECT_NEAR(b->low, t.low, 1e-15);
    EXPECT_NEAR(b->high, t.high, 1e-15);
    EXPECT_NEAR(b->p, t.p, 1e-14);
    EXPECT_NEAR(b->p_holm, 2 * t.p, 1e-14);
    EXPECT(b->p_permutation == 2.0 / 32 && b->more_seeds == 0);
    EXPECT(c->is_compared && !c->is_distinguishable && c->is_tied && c->difference < 0);
    EXPECT(c->p_holm == c->p && c->p > 0.05);
    paired_cases_release(&p);
    results_release(&r);
}

/* With the last of Holm's order the level is 95 %. */
static void test_more_seeds_are_those_with_which_the_interval_excludes_0(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 3, RESULT_ACCURACY, four);
    paired_cases_init(&p, &r);

    const struct paired_test t = paired_t_test(four[2], four[0], 5);
    const int64_t needed = t_count_needed(t.difference, t.deviation, 0.95);

    EXPECT(needed > 5);
    EXPECT_INT(paired_cases_find(&p, 2)->more_seeds, needed - 5);
    paired_cases_release(&p);
    results_release(&r);
}

/* Both differ at 95 %, but not as two of three comparisons, and then neither is decided. */
static void test_more_seeds_are_needed_for_more_comparisons(void)
{
    static const double values[4][RESULTS_CASE_SEEDS] = {
        {0.70, 0.70, 0.70, 0.70, 0.70},
        {0.65, 0.69, 0.66, 0.69, 0.67},
        {0.65, 0.69, 0.66, 0.69, 0.67},
        {0.70, 0.69, 0.71, 0.70, 0.69},
    };
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 4, RESULT_ACCURACY, values);
    paired_cases_init(&p, &r);
    for (int i = 1; i <= 2; i++) {
        const struct paired_case *c = paired_cases_find(&p, i);
        const struct paired_test t = paired_t_test(values[i], values[0], 5);

        EXPECT(c->p < 0.05 && c->p > 0.05 / 3 && !c->is_distinguishable);
        EXPECT_INT(c->more_seeds, t_count_needed(t.difference, t.deviation, 1 - 0.05 / 3) - 5);
        EXPECT(c->more_seeds > 0);
    }
    paired_cases_release(&p);
    results_release(&r);
}

static void test_a_case_that_is_the_same_is_tied(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 4, RESULT_ACCURACY, four);
    paired_cases_init(&p, &r);

    const struct paired_case *d = paired_cases_find(&p, 3);

    EXPECT(paired_cases_find(&p, 0)->is_best && d->is_tied);
    EXPECT(d->difference == 0 && d->low == 0 && d->high == 0 && d->p == 1 && d->p_holm == 1);
    EXPECT_INT(d->more_seeds, -1);
    paired_cases_release(&p);
    results_release(&r);
}

static void test_only_common_seeds_count(void)
{
    static const double values[3][RESULTS_CASE_SEEDS] = {
        {0.70, 0.74, 0.71, NONE, NONE},
        {NONE, 0.66, 0.62, 0.64, NONE},
        {NONE, NONE, 0.61, 0.64, 0.60},
    };
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 3, RESULT_ACCURACY, values);
    paired_cases_init(&p, &r);

    const struct paired_case *b = paired_cases_find(&p, 1), *c = paired_cases_find(&p, 2);

    EXPECT_INT(p.compared, 1);
    EXPECT(b->is_compared && b->seeds == 2);
    EXPECT_NEAR(b->difference, -0.085, 1e-15);
    EXPECT(!c->is_compared && !c->is_tied && c->seeds == 1 && isnan(c->difference));
    EXPECT(isnan(c->p_holm) && p.items[2].index == 2);
    EXPECT(b->p_holm == b->p); /* c is not part of the family */
    paired_cases_release(&p);
    results_release(&r);
}

static void test_a_case_with_failed_or_diverged_runs_does_not_win(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 3, RESULT_ACCURACY, four);
    r.cases[0].failed = 1;
    paired_cases_init(&p, &r);
    EXPECT(paired_cases_find(&p, 2)->is_best);
    EXPECT(paired_cases_find(&p, 0)->is_compared && !paired_cases_find(&p, 0)->is_tied);
    paired_cases_release(&p);
    r.cases[0].failed = 0;
    r.cases[0].diverged = 1;
    paired_cases_init(&p, &r);
    EXPECT(paired_cases_find(&p, 2)->is_best && !paired_cases_find(&p, 0)->is_tied);
    paired_cases_release(&p);
    r.cases[1].diverged = r.cases[2].diverged = 1;
    paired_cases_init(&p, &r);
    EXPECT(p.count == 3 && p.compared == 0 && !p.items[0].is_best);
    paired_cases_release(&p);
    results_release(&r);
}

static void test_the_least_loss_is_best_where_there_is_no_accuracy(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 3, RESULT_LOSS, four);
    paired_cases_init(&p, &r);
    EXPECT_INT(p.number, RESULT_LOSS);
    EXPECT(p.items[0].index == 1 && p.items[0].is_best);
    EXPECT(p.items[1].index == 2 && p.items[1].difference > 0 && p.items[2].index == 0);
    paired_cases_release(&p);
    results_release(&r);
}

static void test_cases_with_folds_are_compared_by_validation_loss_over_common_folds(void)
{
    static const double values[2][RESULTS_CASE_SEEDS] = {
        {0.30, 0.34, 0.31, 0.35, 0.30},
        {0.20, 0.25, 0.22, 0.24, NONE},
    };
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 2, RESULT_VALIDATION_LOSS, values);
    for (int64_t i = 0; i < r.run_count; i++) {
        r.runs[i].fold = r.runs[i].seed;
        r.runs[i].seed = NULL;
    }
    paired_cases_init(&p, &r);
    EXPECT_INT(p.number, RESULT_VALIDATION_LOSS);
    EXPECT_TEXT(results_repetitions(&r), "folds");

    const struct paired_case *a = paired_cases_find(&p, 0);

    EXPECT(paired_cases_find(&p, 1)->is_best);
    EXPECT_INT(a->seeds, 4);
    EXPECT_NEAR(a->difference, 0.0975, 1e-15);
    paired_cases_release(&p);
    for (int64_t i = 0; i < r.run_count; i++) /* no two are of the same fold and seed */
        r.runs[i].seed = r.runs[i].values.items[0].text;
    paired_cases_init(&p, &r);
    EXPECT_INT(p.compared, 0);
    EXPECT_TEXT(results_repetitions(&r), "runs");
    paired_cases_release(&p);
    results_release(&r);
}

static void test_where_validation_decides_a_case_with_missing_runs_is_not_the_best(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 3, RESULT_VALIDATION_LOSS, four);
    r.is_by_validation = true;
    r.cases[1].not_run = 1; /* the lowest loss */
    paired_cases_init(&p, &r);
    EXPECT(!paired_cases_find(&p, 1)->is_best && !paired_cases_find(&p, 1)->is_tied);
    EXPECT(paired_cases_find(&p, 2)->is_best);
    paired_cases_release(&p);
    r.cases[1].not_run = 0;
    paired_cases_init(&p, &r);
    EXPECT(paired_cases_find(&p, 1)->is_best);
    paired_cases_release(&p);
    results_release(&r);
}

static void test_without_seeds_nothing_is_compared(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 2, RESULT_ACCURACY, four);
    for (int64_t i = 0; i < r.run_count; i++)
        r.runs[i].seed = NULL;
    paired_cases_init(&p, &r);
    EXPECT(p.compared == 0 && p.items[0].is_best);
    paired_cases_release(&p);
    results_release(&r);
    paired_cases_init(&p, &r); /* no case at all */
    EXPECT(p.count == 0 && p.compared == 0);
    paired_cases_release(&p);
}

static void test_a_case_that_a_search_stopped_early_is_not_compared(void)
{
    struct results r;
    struct paired_cases p;

    results_case_fill(&r, names, 3, RESULT_ACCURACY, four);
    r.stages = (struct results_stages){
        .count = 2, .epochs = {1, 3}
    };
    r.cases[0].stage = 1; /* the best mean of all */
    r.cases[1].stage = r.cases[2].stage = 2;
    paired_cases_init(&p, &r);
    EXPECT(p.compared == 1 && p.items[0].index == 2 && p.items[0].is_best);
    EXPECT(paired_cases_find(&p, 1)->is_compared);
    EXPECT(!paired_cases_find(&p, 0)->is_compared && !paired_cases_find(&p, 0)->is_tied);
    paired_cases_release(&p);
    results_release(&r);
}

TEST_MAIN(TEST(test_the_best_is_first_and_the_others_are_compared_with_it),
          TEST(test_more_seeds_are_those_with_which_the_interval_excludes_0),
          TEST(test_more_seeds_are_needed_for_more_comparisons),
          TEST(test_a_case_that_is_the_same_is_tied), TEST(test_only_common_seeds_count),
          TEST(test_a_case_with_failed_or_diverged_runs_does_not_win),
          TEST(test_the_least_loss_is_best_where_there_is_no_accuracy),
          TEST(test_cases_with_folds_are_compared_by_validation_loss_over_common_folds),
          TEST(test_a_case_that_a_search_stopped_early_is_not_compared),
          TEST(test_where_validation_decides_a_case_with_missing_runs_is_not_the_best),
          TEST(test_without_seeds_nothing_is_compared))
