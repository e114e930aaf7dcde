/*
 * paired_cases.c - the best case of a study, and the others compared with it.
 */
#include "record/paired_cases.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/statistics.h"
#include "base/text.h"

enum { FEW_SEEDS = 3 };

/* --- the numbers of a case --- */

struct run_values {
    const struct results_run **runs; /* borrowed */
    double *values;
    int64_t count;
};

/* Whether they are the same repetition, each of its case. */
static bool is_pair(const struct results_run *a, const struct results_run *b)
{
    return text_equal(a->fold, b->fold) && text_equal(a->seed, b->seed);
}

static int64_t find_pair(const struct run_values *v, const struct results_run *run)
{
    for (int64_t i = 0; i < v->count; i++)
        if (is_pair(v->runs[i], run))
            return i;
    return -1;
}

static bool has_number(const struct results_run *run, int number)
{
    return (run->seed != NULL || run->fold != NULL) && run->status != NULL &&
           strcmp(run->status, "finished") == 0 && !isnan(run->numbers[number]);
}

static void run_values_init(struct run_values *v, const struct results *r, int64_t index,
                            int number)
{
    *v = (struct run_values){
        .runs = MEM_NEW_N(const struct results_run *, r->run_count),
        .values = MEM_NEW_N(double, r->run_count),
    };
    for (int64_t i = 0; i < r->run_count; i++)
        if (has_number(&r->runs[i], number) && results_belongs(&r->runs[i], &r->cases[index]) &&
            find_pair(v, &r->runs[i]) < 0) {
            v->runs[v->count] = &r->runs[i];
            v->values[v->count++] = r->runs[i].numbers[number];
        }
}

static void run_values_release(struct run_values *v)
{
    mem_free(v->runs);
    mem_free(v->values);
}

/* Both in the order of `a`, without what only one of them has. */
static int64_t keep_common(struct run_values *a, const struct run_values *b, double *of_b)
{
    int64_t common = 0;

    for (int64_t i = 0; i < a->count; i++) {
        const int64_t at = find_pair(b, a->runs[i]);

        if (at < 0)
            continue;
        a->values[common] = a->values[i];
        of_b[common++] = b->values[at];
    }
    return common;
}

/* --- the best --- */

static bool has_case(const struct results *r, int number)
{
    bool found = false;

    for (int64_t i = 0; i < r->case_count; i++)
        found = found || !isnan(r->cases[i].numbers[number].mean);
    return found;
}

/* Folds are there to choose settings, which the test set must not decide. */
int paired_cases_number(const struct results *r)
{
    if (results_use_validation(r) && has_case(r, RESULT_VALIDATION_LOSS))
        return RESULT_VALIDATION_LOSS;
    return has_case(r, RESULT_ACCURACY) ? RESULT_ACCURACY : RESULT_LOSS;
}

double paired_cases_quality(int number, double value)
{
    return number == RESULT_ACCURACY ? value : -value;
}

/* The mean over some of the folds may be low because these are easy. */
static bool has_trouble(const struct results *r, const struct results_case *c)
{
    return c->failed > 0 || c->diverged > 0 || (results_use_validation(r) && c->not_run > 0);
}

static int64_t find_best(const struct results *r, int number)
{
    int64_t best = -1;

    for (int64_t i = 0; i < r->case_count; i++) {
        const struct results_case *c = &r->cases[i];
        const double mean = c->numbers[number].mean;

        if (has_trouble(r, c) || results_is_stopped(r, c) || isnan(mean))
            continue;
        if (best < 0 || paired_cases_quality(number, mean) >
                            paired_cases_quality(number, r->cases[best].numbers[number].mean))
            best = i;
    }
    return best;
}

/* --- comparisons --- */

static void compare(struct paired_case *c, double *deviation, struct run_values *own,
                    const struct run_values *best)
{
    double *of_best = MEM_NEW_N(double, own->count);

    c->seeds = keep_common(own, best, of_best);

    const struct paired_test t = paired_t_test(own->values, of_best, c->seeds);

    c->is_compared = !isnan(t.p);
    c->difference = t.difference;
    c->low = t.low;
    c->high = t.high;
    c->p_permutation = paired_permutation_p(own->values, of_best, c->seeds);
    /* Two or three differences that happen to be the same say nothing about their spread. */
    const bool has_spread = t.difference == 0 || t.deviation > 1e-9 * fabs(t.difference);
    c->p = has_spread || c->seeds > FEW_SEEDS ? t.p : c->p_permutation;
    *deviation = t.deviation;
    mem_free(of_best);
}

static void compare_all(struct paired_cases *p, const struct results *r, int64_t best,
                        double *deviations)
{
    struct run_values of_best;

    run_values_init(&of_best, r, best, p->number);
    for (int64_t i = 0; i < p->count; i++) {
        struct run_values own;

        if (i == best || results_is_stopped(r, &r->cases[i]))
            continue;
        run_values_init(&own, r, i, p->number);
        compare(&p->items[i], &deviations[i], &own, &of_best);
        p->compared += p->items[i].is_compared ? 1 : 0;
        run_values_release(&own);
    }
    run_values_release(&of_best);
}

/* 0: they are enough; -1: none is. */
static int64_t more_than(int64_t seeds, int64_t needed)
{
    if (needed < 0)
        return -1;
    return needed > seeds ? needed - seeds : 0;
}

/* -1 is more than any number. */
static int64_t larger(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && a > b) ? a : b;
}

/*
 * What Holm's correction makes of the p-values, and the seeds that the same rule asks for: rank k
 * of n must differ at the level 1 - 0.05 / (n - k), and so must those before it.
 */
static void correct(struct paired_cases *p, const struct results *r, const double *deviations)
{
    double *uncorrected = MEM_NEW_N(double, p->count), *corrected = MEM_NEW_N(double, p->count);
    int64_t *order = MEM_NEW_N(int64_t, p->count), more = 0;

    for (int64_t i = 0; i < p->count; i++)
        uncorrected[i] = p->items[i].p;
    holm_adjust(uncorrected, p->count, corrected);

    const int64_t family = holm_order(uncorrected, p->count, order);

    for (int64_t rank = 0; rank < family; rank++) {
        struct paired_case *c = &p->items[order[rank]];
        const double level = 1 - (1 - STATISTICS_LEVEL) / (double)(family - rank);
        const int64_t needed = t_count_needed(c->difference, deviations[order[rank]], level);

        c->p_holm = corrected[order[rank]];
        c->is_distinguishable = c->p_holm < 1 - STATISTICS_LEVEL;
        c->is_tied = !c->is_distinguishable && !has_trouble(r, &r->cases[c->index]);
        more = larger(more_than(c->seeds, needed), more);
        c->more_seeds = c->is_distinguishable ? 0 : larger(more, 1);
    }
    mem_free(uncorrected);
    mem_free(corrected);
    mem_free(order);
}

static bool comes_before(int number, const struct paired_case *a, const struct paired_case *b)
{
    if (a->is_best || b->is_best)
        return a->is_best;
    if (!a->is_compared || !b->is_compared)
        return a->is_compared && !b->is_compared;
    return paired_cases_quality(number, a->difference) >
           paired_cases_quality(number, b->difference);
}

static void sort(struct paired_cases *p)
{
    for (int64_t i = 1; i < p->count; i++) {
        const struct paired_case c = p->items[i];
        int64_t at = i;

        for (; at > 0 && comes_before(p->number, &c, &p->items[at - 1]); at--)
            p->items[at] = p->items[at - 1];
        p->items[at] = c;
    }
}

void paired_cases_init(struct paired_cases *p, const struct results *r)
{
    const double nan = (double)NAN;

    *p = (struct paired_cases){
        .number = paired_cases_number(r),
        .items = MEM_NEW_N(struct paired_case, r->case_count),
        .count = r->case_count,
    };
    for (int64_t i = 0; i < p->count; i++)
        p->items[i] = (struct paired_case){.index = i,
                                           .difference = nan,
                                           .low = nan,
                                           .high = nan,
                                           .p = nan,
                                           .p_permutation = nan,
                                           .p_holm = nan};

    const int64_t best = find_best(r, p->number);

    if (best < 0)
        return;

    double *deviations = MEM_NEW_N(double, p->count);

    p->items[best].is_best = true;
    compare_all(p, r, best, deviations);
    correct(p, r, deviations);
    sort(p);
    mem_free(deviations);
}

void paired_cases_release(struct paired_cases *p)
{
    mem_free(p->items);
    *p = (struct paired_cases){0};
}

const struct paired_case *paired_cases_find(const struct paired_cases *p, int64_t index)
{
    for (int64_t i = 0; i < p->count; i++)
        if (p->items[i].index == index)
            return &p->items[i];
    BUG("no such case");
}
