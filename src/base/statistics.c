/*
 * statistics.c - Student's t by the incomplete beta function, paired tests, Holm's correction.
 */
#include "base/statistics.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"

double statistics_mean(const double *x, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += x[i];
    return count > 0 ? sum / (double)count : (double)NAN;
}

double statistics_deviation(const double *x, int64_t count)
{
    const double mean = statistics_mean(x, count);
    double squares = 0;

    for (int64_t i = 0; i < count; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1)) : (double)NAN;
}

/* --- Student's t --- */

/* A denominator of the Lentz method must not be 0. */
static double nonzero(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/*
 * The continued fraction of the incomplete beta function (DLMF 8.17.22) by the modified Lentz
 * method; about sqrt(a + b) steps for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), fraction = d;

    for (int m = 1; m < 100000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / nonzero(1 + even * d);
        c = nonzero(1 + even / c);
        fraction *= c * d;
        d = 1 / nonzero(1 + odd * d);
        c = nonzero(1 + odd / c);
        fraction *= c * d;
        if (fabs(c * d - 1) < 3e-16)
            break;
    }
    return fraction;
}

/* The regularised incomplete beta function I_x(a, b). `y` is 1 - x, without its rounding. */
static double incomplete_beta(double x, double y, double a, double b)
{
    if (isnan(x) || x == 0)
        return x;
    if (y == 0)
        return 1;

    const double power = exp(a * log(x) + b * log(y) + lgamma(a + b) - lgamma(a) - lgamma(b));

    if (x < (a + 1) / (a + b + 2))
        return power * beta_fraction(x, a, b) / a;
    return 1 - power * beta_fraction(y, b, a) / b;
}

/* P(|T| >= t) is I of these two with (dof / 2, 1 / 2); P(|T| < t) with both exchanged. */
struct t_place {
    double outside, inside; /* dof / (dof + t^2), t^2 / (dof + t^2) */
};

static struct t_place t_place_of(double t, double dof)
{
    const double square = t / dof * t;

    return (struct t_place){1 / (1 + square), isinf(square) ? 1 : square / (1 + square)};
}

double t_two_sided_p(double t, double dof)
{
    const struct t_place at = t_place_of(t, dof);

    return dof > 0 ? incomplete_beta(at.outside, at.inside, dof / 2, 0.5) : (double)NAN;
}

/* P(|T| < |t|), also where it is tiny. */
static double t_inside(double t, double dof)
{
    const struct t_place at = t_place_of(t, dof);

    return incomplete_beta(at.inside, at.outside, 0.5, dof / 2);
}

double t_cdf(double t, double dof)
{
    const double outside = t_two_sided_p(t, dof);

    return t > 0 ? 1 - outside / 2 : outside / 2;
}

static double t_density(double t, double dof)
{
    const double pi = 3.14159265358979324;
    const double centre = exp(lgamma((dof + 1) / 2) - lgamma(dof / 2)) / sqrt(pi * dof);

    return centre * exp(-(dof + 1) / 2 * log1p(t / dof * t));
}

/*
 * The t >= 0 with P(T > t) = tail <= 1/2, by Newton's method from 0. P(|T| >= t) is convex, so that
 * no step goes too far. Near the centre the other probability is the precise one.
 */
static double find_tail(double tail, double dof)
{
    double t = 0, step;

    do {
        const double more =
            tail > 0.25 ? 1 - 2 * tail - t_inside(t, dof) : t_two_sided_p(t, dof) - 2 * tail;

        step = more / (2 * t_density(t, dof));
        t += step;
    } while (step > 1e-15 * t);
    return t;
}

double t_quantile(double p, double dof)
{
    if (!(dof > 0) || !(p >= 0 && p <= 1))
        return (double)NAN;
    if (p == 0 || p == 0.5 || p == 1)
        return p == 0.5 ? 0 : copysign((double)INFINITY, p - 0.5);
    return p < 0.5 ? -find_tail(p, dof) : find_tail(1 - p, dof);
}

/* --- intervals --- */

double t_half_width(double deviation, int64_t count, double level)
{
    if (count < 2 || !(deviation > 0))
        return count < 2 ? (double)NAN : deviation; /* 0 or NaN */
    return t_quantile(0.5 + level / 2, (double)(count - 1)) * deviation / sqrt((double)count);
}

/* The half-width falls with the count. */
int64_t t_count_needed(double difference, double deviation, double level)
{
    int64_t too_few = 1, enough = STATISTICS_MOST_NEEDED;

    if (!(t_half_width(deviation, enough, level) < fabs(difference)))
        return -1;
    while (enough - too_few > 1) {
        const int64_t count = (too_few + enough) / 2;

        *(t_half_width(deviation, count, level) < fabs(difference) ? &enough : &too_few) = count;
    }
    return enough;
}

/* --- pairs --- */

/* a - b; mem_free. */
static double *differences_of(const double *a, const double *b, int64_t count)
{
    double *out = MEM_NEW_N(double, count);

    for (int64_t i = 0; i < count; i++) {
        const double rounding = 1e-12 * fmax(fabs(a[i]), fabs(b[i]));

        out[i] = fabs(a[i] - b[i]) <= rounding ? 0 : a[i] - b[i];
    }
    return out;
}

static double paired_p(double difference, double deviation, int64_t count)
{
    if (deviation == 0)
        return difference == 0 ? 1 : 0;
    return t_two_sided_p(difference / deviation * sqrt((double)count), (double)(count - 1));
}

struct paired_test paired_t_test(const double *a, const double *b, int64_t count)
{
    struct paired_test t = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};

    if (count < 2)
        return t;

    double *differences = differences_of(a, b, count);

    t.difference = statistics_mean(differences, count);
    t.deviation = statistics_deviation(differences, count);
    mem_free(differences);

    const double half = t_half_width(t.deviation, count, STATISTICS_LEVEL);

    t.low = t.difference - half;
    t.high = t.difference + half;
    t.p = paired_p(t.difference, t.deviation, count);
    return t;
}

/* The sum of x with the signs of these bits (1: minus), 64 per word. */
static double signed_sum(const double *x, int64_t count, const uint64_t *minus)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += (minus[i / 64] >> (i % 64) & 1) != 0 ? -x[i] : x[i];
    return sum;
}

/* Of all choices of signs; those of the last one may be fixed, because both signs of a sum count.
 */
static double exact_p(const double *x, int64_t count, double limit)
{
    const uint64_t choices = (uint64_t)1 << (count - 1);
    int64_t far = 0;

    for (uint64_t minus = 0; minus < choices; minus++)
        far += fabs(signed_sum(x, count, &minus)) >= limit;
    return (double)far / (double)choices;
}

static double drawn_p(const double *x, int64_t count, double limit)
{
    const struct rng r = rng_make(0, RNG_SIGNS, 0);
    const int64_t words = (count + 63) / 64;
    uint64_t *minus = MEM_NEW_N(uint64_t, words);
    int64_t far = 1; /* the actual signs */

    for (int draw = 0; draw < PERMUTATION_DRAWS; draw++) {
        for (int64_t w = 0; w < words; w++)
            minus[w] = rng_bits(&r, (uint64_t)draw, (uint32_t)w);
        far += fabs(signed_sum(x, count, minus)) >= limit;
    }
    mem_free(minus);
    return (double)far / (PERMUTATION_DRAWS + 1);
}

double paired_permutation_p(const double *a, const double *b, int64_t count)
{
    double p = (double)NAN, sum = 0, size = 0;

    if (count < 2)
        return p;

    double *x = differences_of(a, b, count);

    for (int64_t i = 0; i < count; i++) {
        sum += x[i];
        size += fabs(x[i]);
    }

    const double limit = fabs(sum) - 1e-12 * size; /* equal sums may be rounded differently */

    if (!isnan(sum))
        p = count <= PERMUTATION_EXACT_PAIRS ? exact_p(x, count, limit) : drawn_p(x, count, limit);
    mem_free(x);
    return p;
}

/* --- Holm --- */

int64_t holm_order(const double *p, int64_t count, int64_t *order)
{
    int64_t family = 0;

    for (int64_t i = 0; i < count; i++) {
        int64_t at = family;

        if (isnan(p[i]))
            continue;
        for (; at > 0 && p[order[at - 1]] > p[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        family++;
    }
    return family;
}

void holm_adjust(const double *p, int64_t count, double *adjusted)
{
    int64_t *order = MEM_NEW_N(int64_t, count);
    const int64_t family = holm_order(p, count, order);
    double before = 0;

    for (int64_t i = 0; i < count; i++)
        adjusted[i] = (double)NAN;
    for (int64_t rank = 0; rank < family; rank++) {
        before = fmin(1, fmax(before, (double)(family - rank) * p[order[rank]]));
        adjusted[order[rank]] = before;
    }
    mem_free(order);
}
