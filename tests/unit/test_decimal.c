/*
 * test_decimal.c - decimal numbers are those that printf and strtod find.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/rng.h"
#include "test.h"

/* The fewest of 15, 16 and 17 digits that restore the number, by the C library. */
static void write_slowly(double value, char *text)
{
    for (int n = 15; n <= 17; n++) {
        (void)snprintf(text, DECIMAL_BYTES, "%.*g", n, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

static void expect_same(double value)
{
    char found[DECIMAL_BYTES] = "", expected[DECIMAL_BYTES] = "";

    write_slowly(value, expected);
    EXPECT(decimal_write(value, found));
    EXPECT_TEXT(found, expected);
}

static void expect_same_around(double value)
{
    expect_same(value);
    expect_same(-value);
    expect_same(nextafter(value, 0));
    expect_same(nextafter(value, 1e300));
}

static void test_numbers_that_people_write(void)
{
    const double numbers[] = {0.01,      0.1,       1,          1.5,     2.5,     10,
                              100,       123456.75, 0.001,      0.00025, 1.0 / 3, 2.0 / 3,
                              1e13,      9e13,      0.30000001, 60000,   0.3,     0.7,
                              1e5 + 0.1, 3.14159,   99999.9,    5e-4,    4.35,    0.000125};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        expect_same_around(numbers[i]);
    expect_same(0.0);
    expect_same(-0.0);
}

static void test_powers_of_ten_and_two_and_their_neighbours(void)
{
    for (double x = 1e-3; x < 1e13; x *= 10)
        expect_same_around(x);
    for (double x = ldexp(1, -13); x < 5e13; x *= 2)
        expect_same_around(x);
}

/* Of all sizes: the exponent and the digits are drawn. */
static void test_numbers_at_random(void)
{
    const struct rng rng = rng_make(7, RNG_TEST, 0);

    for (int i = 0; i < 200000; i++) {
        const double power = -4 + 18 * rng_uniform(&rng, (uint64_t)i, 0);
        const double x = pow(10, power) * (1 + 1e-9 * rng_uniform(&rng, (uint64_t)i, 1));

        if (x >= 1e-4 && x < 1e14)
            expect_same(x);
        expect_same(1 + (double)(float)rng_uniform(&rng, (uint64_t)i,
                                                   2)); /* floats have few binary digits */
        expect_same(round(x * 1000) / 1000 + 1);        /* and these few decimal ones */
    }
}

static void test_other_numbers_are_not_known(void)
{
    const double numbers[] = {1e-5, 9.9999e-5, 1e14, 1e300, (double)INFINITY, (double)NAN};
    char text[DECIMAL_BYTES];

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        EXPECT(!decimal_write(numbers[i], text));
}

TEST_MAIN(TEST(test_numbers_that_people_write),
          TEST(test_powers_of_ten_and_two_and_their_neighbours), TEST(test_numbers_at_random),
          TEST(test_other_numbers_are_not_known))
