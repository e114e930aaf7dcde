/*
 * statistics.h - means over few repetitions, and whether two of them differ: Student's t, paired
 * tests, Holm's correction.
 *
 * NaN in, NaN out; NaN also of too few numbers.
 */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stdint.h>

#define STATISTICS_LEVEL 0.95 /* of intervals that are shown */

double statistics_mean(const double *x, int64_t count);
double statistics_deviation(const double *x, int64_t count); /* of a sample: n - 1 */

/* Student's t distribution with dof > 0 degrees of freedom. */
double t_cdf(double t, double dof);
double t_quantile(double p, double dof);    /* 0 <= p <= 1 */
double t_two_sided_p(double t, double dof); /* P(|T| >= |t|), also where it is tiny */

/* Half of the t interval of a mean of `count` numbers with this deviation; NaN below two. */
double t_half_width(double deviation, int64_t count, double level);

/* The smallest count for which that is less than |difference|; -1: over STATISTICS_MOST_NEEDED. */
enum { STATISTICS_MOST_NEEDED = 10000 };
int64_t t_count_needed(double difference, double deviation, double level);

/*
 * The paired t test of a - b. Numbers that differ by less than 1e-12 of the larger one count as
 * equal. Where all differences are the same, p is 1 if they are 0, otherwise 0. All NaN below two
 * pairs.
 */
struct paired_test {
    double difference, deviation; /* mean and deviation of a - b */
    double low, high;             /* t interval of the mean, at STATISTICS_LEVEL */
    double p;                     /* two-sided */
};
struct paired_test paired_t_test(const double *a, const double *b, int64_t count);

/*
 * p (two-sided) of the permutation test of pairs: how many of all choices of the signs of a - b
 * give a sum at least as far from 0. Exact up to 16 pairs; above, of the actual signs and
 * PERMUTATION_DRAWS drawn ones, always the same ones. NaN below two pairs.
 */
enum { PERMUTATION_EXACT_PAIRS = 16, PERMUTATION_DRAWS = 65535 };
double paired_permutation_p(const double *a, const double *b, int64_t count);

/*
 * Holm's correction of the p-values of a family: the one of rank k (from 0) of n counts n - k
 * times, and not less than those before it. NaN is not part of the family.
 */
void holm_adjust(const double *p, int64_t count, double *adjusted);

/* The indices of the family by ascending p; answers how many they are. */
int64_t holm_order(const double *p, int64_t count, int64_t *order);

#endif
