/*
 * test_portable_math.c - our log, exp, powers and cosine against the C library's.
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

/* As wide as schedules need: factors from 1e-20 to 1e20. */
static void test_pow_is_that_of_the_c_library(void)
{
    const struct rng r = rng_make(3, RNG_TEST, 0);

    for (uint64_t i = 0; i < DRAWS; i++) {
        const double x = portable_exp(20 * (2 * rng_uniform(&r, i, 0) - 1));
        const double y = 4 * rng_uniform(&r, i, 1) - 2;
        const double rounding = (4 + 2 * fabs(y * log(x))) * 0x1p-53;

        EXPECT(relative_error(portable_pow(x, y), pow(x, y)) < rounding);
    }
    EXPECT_NEAR(portable_pow(0.3, 0), 1, 0);
    EXPECT_NEAR(portable_pow(0.3, 1), 0.3, 0);
    EXPECT_NEAR(portable_pow(1, 0.7), 1, 0);
}

static void test_power_is_that_of_the_c_library(void)
{
    const struct rng r = rng_make(4, RNG_TEST, 0);

    for (uint64_t i = 0; i < DRAWS; i++) {
        const double base = 2 * rng_uniform(&r, i, 0);
        const int64_t exponent = (int64_t)(200 * rng_uniform(&r, i, 1));

        EXPECT(relative_error(portable_power(base, exponent), pow(base, (double)exponent)) <
               (double)(2 + exponent) * 0x1p-53);
    }
    EXPECT_NEAR(portable_power(0, 0), 1, 0);
    EXPECT_NEAR(portable_power(0, 3), 0, 0);
    EXPECT_NEAR(portable_power(0.1, 1), 0.1, 0);
    EXPECT_NEAR(portable_power(2, 1023), 0x1p1023, 0);
    EXPECT_NEAR(portable_power(0.5, 1000), 0x1p-1000, 0);
}

/* 2 pi u is rounded: to a long double by less than 1e-18, to a double by less than 5e-16. */
static void test_the_cosine_of_a_turn_is_that_of_the_c_library(void)
{
    const struct rng r = rng_make(5, RNG_TEST, 0);

    for (uint64_t i = 0; i < DRAWS; i++) {
        const double u = rng_uniform(&r, i, 0);
        const long double turn = 6.283185307179586476925286766559L * (long double)u;
        const double exact = (double)cosl(turn);

        EXPECT_NEAR(portable_cos_turn(u), exact, 4 * 0x1p-52 * fabs(exact) + 1e-18);
    }
    for (int i = 0; i <= 1000; i++)
        EXPECT_NEAR(portable_cos_turn(0.5 * i / 1000), cos(M_PI * i / 1000), 8e-16);
}

static void test_the_cosine_is_exact_at_quarter_turns(void)
{
    EXPECT_NEAR(portable_cos_turn(0), 1, 0);
    EXPECT_NEAR(portable_cos_turn(0.25), 0, 0);
    EXPECT_NEAR(portable_cos_turn(0.5), -1, 0);
    EXPECT_NEAR(portable_cos_turn(0.75), 0, 0);
    EXPECT_NEAR(portable_cos_turn(1), 1, 0);
}

TEST_MAIN(TEST(test_log_is_that_of_the_c_library), TEST(test_exp_is_that_of_the_c_library),
          TEST(test_exp_ends_in_0_and_infinity), TEST(test_pow_is_that_of_the_c_library),
          TEST(test_power_is_that_of_the_c_library),
          TEST(test_the_cosine_of_a_turn_is_that_of_the_c_library),
          TEST(test_the_cosine_is_exact_at_quarter_turns))
