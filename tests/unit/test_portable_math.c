/*
 * test_portable_math.c - our log and exp against the C library's.
 */
#include "base/portable_math.h"
#include "base/rng.h"
#include "test.h"

enum { DRAWS = 20000 };

static double relative_error(double actual, double expected)
{
    return fabs(actual - expected) / fmax(fabs(expected), 1e-300);
}

/* Numbers whose logarithms spread evenly over what a double holds. */
static double any_positive(const struct rng *r, uint64_t i)
{
    return exp2(1000 * (2 * rng_uniform(r, i, 0) - 1));
}

/* A few units in the last place; near 1 the logarithm is small, and its error that of 1. */
static void test_log_is_that_of_the_c_library(void)
{
    const struct rng r = rng_make(1, RNG_TEST, 0);
    double worst = 0;

    for (uint64_t i = 0; i < DRAWS; i++) {
        const double x = any_positive(&r, i), near = 0.5 + rng_uniform(&r, i, 1);

        worst = fmax(worst, relative_error(portable_log(x), log(x)));
        EXPECT_NEAR(portable_log(near), log(near), 4e-16);
    }
    EXPECT(worst < 4 * 0x1p-52);
    EXPECT_NEAR(portable_log(1), 0, 0);
}

static void test_exp_is_that_of_the_c_library(void)
{
    const struct rng r = rng_make(2, RNG_TEST, 0);
    double worst = 0;

    for (uint64_t i = 0; i < DRAWS; i++) {
        const double x = 1400 * rng_uniform(&r, i, 0) - 700, small = x / 700;

        worst = fmax(worst, relative_error(portable_exp(x), exp(x)));
        worst = fmax(worst, relative_error(portable_exp(small), exp(small)));
    }
    EXPECT(worst < 4 * 0x1p-52);
    EXPECT_NEAR(portable_exp(0), 1, 0);
}

static void test_exp_ends_in_0_and_infinity(void)
{
    EXPECT(portable_exp(-1e300) == 0);
    EXPECT(portable_exp(-(double)INFINITY) == 0);
    EXPECT(isinf(portable_exp(1e300)) && isinf(portable_exp((double)INFINITY)));
    EXPECT(isfinite(portable_exp(709)) && portable_exp(-708) > 0);
    EXPECT(isnan(portable_exp((double)NAN)));
}

TEST_MAIN(TEST(test_log_is_that_of_the_c_library), TEST(test_exp_is_that_of_the_c_library),
          TEST(test_exp_ends_in_0_and_infinity))
