/*
 * paired_cases.h - which case of a study is the best, and whether the others differ from it: paired
 * comparisons over the seeds and folds that both have.
 *
 * Cases are compared by accuracy, or by loss where none has an accuracy; those with folds, and of a
 * search, by their validation loss. Runs with the same seed
 * have the same initial weights, data and partition, so their differences vary less than the runs.
 */
#ifndef RECORD_PAIRED_CASES_H
#define RECORD_PAIRED_CASES_H

#include "record/results.h"

/* A case whose runs failed or diverged, even if only some of them did, is neither best nor tied;
 * nor is one of which runs are missing where validation decides. One that a search stopped before
 * its last stage is not compared: it trained less. */
struct paired_case {
    int64_t index;           /* of the case in the results */
    int64_t seeds;           /* in common with the best */
    bool is_best;            /* it has the best mean */
    bool is_compared;        /* over two common seeds or more; if not, the rest is NaN */
    bool is_distinguishable; /* p_holm < 0.05 */
    bool is_tied;            /* compared, and not distinguishable */
    double difference;       /* this case - the best, mean over the common seeds */
    double low, high;        /* 95 % t interval of the difference */
    double p; /* two-sided, of the paired t test (of few seeds without spread p_permutation), */
    double p_permutation; /* of all exchanges of the two cases' numbers, seed by seed, */
    double p_holm;        /* and p corrected for all comparisons of the study */

    /* How many more seeds make it distinguishable if difference and deviation stay as they are. 0:
     * it is; -1: more than STATISTICS_MOST_NEEDED in all. */
    int64_t more_seeds;
};

/* Best first; those that are not compared are last. */
struct paired_cases {
    int number; /* RESULT_ACCURACY, RESULT_LOSS or RESULT_VALIDATION_LOSS */
    struct paired_case *items;
    int64_t count;    /* a case each, */
    int64_t compared; /* so many of them with the best; 0: there may be no best */
};
/* The number that the cases are compared by. */
int paired_cases_number(const struct results *r);

/* A value of it so that more is better. */
double paired_cases_quality(int number, double value);

void paired_cases_init(struct paired_cases *p, const struct results *r);
void paired_cases_release(struct paired_cases *p);

const struct paired_case *paired_cases_find(const struct paired_cases *p, int64_t index);

#endif
