/*
 * test_histogram.c - every finite value is in one bin, at whatever place.
 */
#include <math.h>

#include "record/histogram.h"
#include "test.h"

static double total(const struct histogram *h)
{
    double sum = 0;

    for (int i = 0; i < h->bins; i++)
        sum += h->counts[i];
    return sum;
}

static void test_values_are_in_bins_of_equal_width(void)
{
    float values[129];
    struct histogram h;

    for (int i = 0; i <= 128; i++)
        values[i] = (float)i; /* two for each bin, and the largest in the last */
    histogram_init(&h, values, 129);
    EXPECT_INT(h.bins, HISTOGRAM_BINS);
    EXPECT(h.min == 0 && h.max == 128 && h.count == 129 && h.sum == 8256);
    EXPECT(h.sum_squares == 707264 && total(&h) == 129);
    for (int i = 0; i < h.bins; i++) {
        EXPECT(h.limits[i] == 2.0 * (i + 1));
        EXPECT(h.counts[i] == (i == h.bins - 1 ? 3 : 2));
    }
}

static void test_equal_values_have_one_bin(void)
{
    const float values[] = {-2.5F, -2.5F, -2.5F};
    struct histogram h;

    histogram_init(&h, values, 3);
    EXPECT_INT(h.bins, 1);
    EXPECT(h.limits[0] == -2.5 && h.counts[0] == 3 && h.min == h.max);
}

static void test_what_is_not_finite_is_left_out(void)
{
    const float values[] = {NAN, 1, INFINITY, -INFINITY, 3};
    struct histogram h;

    histogram_init(&h, values, 5);
    EXPECT(h.count == 2 && total(&h) == 2 && h.min == 1 && h.max == 3);
    histogram_init(&h, values + 2, 2);
    EXPECT_INT(h.bins, 0);
    histogram_init(&h, values, 0);
    EXPECT_INT(h.bins, 0);
}

static void test_the_largest_floats_do_not_overflow(void)
{
    const float values[] = {-3e38F, 0, 3e38F};
    struct histogram h;

    histogram_init(&h, values, 3);
    EXPECT(total(&h) == 3 && isfinite(h.sum_squares));
    EXPECT(h.counts[0] == 1 && h.counts[h.bins / 2] == 1 && h.counts[h.bins - 1] == 1);
}

TEST_MAIN(TEST(test_values_are_in_bins_of_equal_width), TEST(test_equal_values_have_one_bin),
          TEST(test_what_is_not_finite_is_left_out), TEST(test_the_largest_floats_do_not_overflow))
