/*
 * results_case.h - results of studies for the tests about comparisons: cases "a", "b", ... of a key
 * "algorithm", with a number per seed.
 */
#ifndef TESTS_UNIT_RESULTS_CASE_H
#define TESTS_UNIT_RESULTS_CASE_H

#include "base/mem.h"
#include "base/statistics.h"
#include "record/results.h"
#include "test.h"

enum { RESULTS_CASE_SEEDS = 5 };

static inline struct results_values results_case_values(const char *name)
{
    struct results_values v = {MEM_NEW_N(struct results_value, 1), 1};

    v.items[0] = (struct results_value){"algorithm", name};
    return v;
}

static inline void results_case_number(struct results_case *c, int number, const double *values)
{
    double known[RESULTS_CASE_SEEDS];
    int64_t count = 0;

    for (int s = 0; s < RESULTS_CASE_SEEDS; s++)
        if (!isnan(values[s]))
            known[count++] = values[s];
    c->numbers[number].count = count;
    c->numbers[number].mean = statistics_mean(known, count);
    c->numbers[number].deviation = statistics_deviation(known, count);
    c->numbers[number].half_width =
        t_half_width(c->numbers[number].deviation, count, STATISTICS_LEVEL);
}

/* values[case][seed]; NaN: the run has not run. Names have one letter each. */
static inline void results_case_fill(struct results *r, const char *const *names, int64_t cases,
                                     int number, const double (*values)[RESULTS_CASE_SEEDS])
{
    static const char *const seeds[RESULTS_CASE_SEEDS] = {"1", "2", "3", "4", "5"};

    *r = (struct results){
        .name = "study",
        .cases = MEM_NEW_N(struct results_case, cases),
        .runs = MEM_NEW_N(struct results_run, cases * RESULTS_CASE_SEEDS),
        .case_count = cases,
    };
    for (int64_t i = 0; i < cases; i++) {
        r->cases[i].values = results_case_values(names[i]);
        for (int n = 0; n < RESULT_NUMBERS; n++)
            r->cases[i].numbers[n] =
                (struct mean_deviation){(double)NAN, (double)NAN, (double)NAN, 0};
        results_case_number(&r->cases[i], number, values[i]);
        r->cases[i].seeds = r->cases[i].numbers[number].count;
    }
    for (int s = RESULTS_CASE_SEEDS - 1; s >= 0; s--) /* in another order than the cases */
        for (int64_t i = 0; i < cases; i++) {
            struct results_run *run = &r->runs[r->run_count++];

            *run = (struct results_run){.name = "run", .seed = seeds[s]};
            run->values = results_case_values(names[i]);
            run->status = isnan(values[i][s]) ? "not run" : "finished";
            for (int n = 0; n < RESULT_NUMBERS; n++)
                run->numbers[n] = n == number ? values[i][s] : (double)NAN;
        }
}

#endif
