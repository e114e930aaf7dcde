/*
 * test_rng.c - base/rng.h: the published vectors of Philox, and what the numbers must look like.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "test.h"

struct vector {
    uint32_t counter[4], key[2], words[4];
};

/* kat_vectors of Random123, "philox4x32 10". */
static const struct vector vectors[] = {
    {{0, 0, 0, 0},                                         {0, 0}, {0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}},
    {{0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU},
     {0xffffffffU, 0xffffffffU},
     {0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU}                                                              },
    {{0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U},
     {0xa4093822U, 0x299f31d0U},
     {0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U}                                                              },
};

static void test_philox_gives_the_published_words(void)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint32_t words[4];

        rng_philox(vectors[i].counter, vectors[i].key, words);
        EXPECT(memcmp(words, vectors[i].words, sizeof words) == 0);
    }
}

/* From an implementation in Python of the layout of counter and key that rng.c states. */
static void test_the_numbers_of_a_seed_never_change(void)
{
    const struct rng a = rng_make(1, RNG_TEST, 0), b = rng_make(0x123456789abcdef0U, RNG_INIT, 7);
    const struct rng c = rng_make(2, RNG_ORDER, 1);

    EXPECT(rng_bits(&a, 0, 0) == 0x9d92fecad4bb3beaU);
    EXPECT(rng_bits(&b, 0x9876543210U, 3) == 0x9d1c0d75b13233eeU);
    EXPECT(rng_bits(&c, 59999, 0) == 0x6873874d2ac28accU);
}

static void test_each_part_of_the_name_of_a_number_changes_it(void)
{
    const struct rng r = rng_make(1, RNG_TEST, 0), other_seed = rng_make(2, RNG_TEST, 0);
    const struct rng high_seed = rng_make(1 + (1ULL << 32), RNG_TEST, 0);
    const struct rng other_purpose = rng_make(1, RNG_INIT, 0), stream = rng_make(1, RNG_TEST, 1);
    const uint64_t bits = rng_bits(&r, 5, 0);

    EXPECT(rng_bits(&r, 5, 0) == bits);
    EXPECT(rng_bits(&other_seed, 5, 0) != bits);
    EXPECT(rng_bits(&high_seed, 5, 0) != bits);
    EXPECT(rng_bits(&other_purpose, 5, 0) != bits);
    EXPECT(rng_bits(&stream, 5, 0) != bits);
    EXPECT(rng_bits(&r, 6, 0) != bits);
    EXPECT(rng_bits(&r, 5 + (1ULL << 32), 0) != bits);
    EXPECT(rng_bits(&r, 5, 1) != bits);
}

enum { N = 200000 };

/* Tolerances below are five standard deviations of the sample's statistic. */
static void test_uniform_numbers_are_in_range_and_uniform(void)
{
    const struct rng r = rng_make(42, RNG_TEST, 0);
    int64_t bins[10] = {0};
    double sum = 0, squares = 0;

    for (uint64_t i = 0; i < N; i++) {
        const double u = rng_uniform(&r, i, 0);

        if (!EXPECT(u >= 0 && u < 1))
            return;
        sum += u;
        squares += u * u;
        bins[(int)(10 * u)]++;
    }
    EXPECT_NEAR(sum / N, 0.5, 5 * sqrt(1.0 / 12 / N));
    EXPECT_NEAR(squares / N, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
    for (int b = 0; b < 10; b++)
        EXPECT_NEAR((double)bins[b] / N, 0.1, 5 * sqrt(0.09 / N));
}

static void test_normal_numbers_have_the_moments_of_the_normal_law(void)
{
    const struct rng r = rng_make(7, RNG_TEST, 0);
    double moments[5] = {0};

    for (uint64_t i = 0; i < N; i++) {
        const double x = rng_normal(&r, i, 0);
        double power = 1;

        for (int k = 1; k <= 4; k++)
            moments[k] += (power *= x) / N;
    }
    /* The variance of x^k is E x^2k - (E x^k)^2: 1, 2, 15, 96. */
    EXPECT_NEAR(moments[1], 0, 5 * sqrt(1.0 / N));
    EXPECT_NEAR(moments[2], 1, 5 * sqrt(2.0 / N));
    EXPECT_NEAR(moments[3], 0, 5 * sqrt(15.0 / N));
    EXPECT_NEAR(moments[4], 3, 5 * sqrt(96.0 / N));
}

static void test_normal_numbers_have_the_tails_of_the_normal_law(void)
{
    const struct rng r = rng_make(8, RNG_TEST, 0);
    int64_t beyond[5] = {0};

    for (uint64_t i = 0; i < N; i++) {
        const double x = rng_normal(&r, i, 0);

        for (int k = 1; k <= 4; k++)
            beyond[k] += x > k;
    }
    for (int k = 1; k <= 4; k++) {
        const double p = erfc(k / sqrt(2)) / 2;

        EXPECT_NEAR((double)beyond[k] / N, p, 5 * sqrt(p * (1 - p) / N));
    }
}

/* Box and Muller with the C library's functions from the same words. */
static void test_a_normal_number_agrees_with_the_formula(void)
{
    const struct rng r = rng_make(9, RNG_TEST, 3);
    const double pi = 3.14159265358979324;

    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t w[4];

        rng_words(&r, i, 1, w);

        const double u = (double)(((uint64_t)w[1] << 32 | w[0]) >> 11) * 0x1p-53;
        const double v = (double)(((uint64_t)w[3] << 32 | w[2]) >> 11) * 0x1p-53;
        const double expected = sqrt(-2 * log(1 - u)) * cos(2 * pi * v);

        /* 2 pi v is rounded in the reference: an angle's error of 1e-15 times a radius below 9. */
        EXPECT_NEAR(rng_normal(&r, i, 1), expected, 1e-14);
    }
}

static void test_numbers_below_a_bound_are_in_range_and_uniform(void)
{
    const struct rng r = rng_make(10, RNG_TEST, 0);
    int64_t seen[7] = {0};

    for (uint64_t i = 0; i < 70000; i++) {
        const int64_t x = rng_below(&r, i, 0, 7);

        if (!EXPECT(x >= 0 && x < 7))
            return;
        seen[x]++;
    }
    for (int k = 0; k < 7; k++)
        EXPECT_NEAR((double)seen[k], 10000, 5 * sqrt(70000 * (1.0 / 7) * (6.0 / 7)));
    for (uint64_t i = 0; i < 100; i++)
        EXPECT_INT(rng_below(&r, i, 0, 1), 0);
}

static void test_below_a_large_bound_agrees_with_the_wide_product(void)
{
    static const int64_t bounds[] = {3, 1000003, 1LL << 40, INT64_MAX};
    const struct rng r = rng_make(11, RNG_TEST, 0);

    for (uint64_t i = 0; i < 4000; i++) {
        __extension__ typedef unsigned __int128 wide;
        const int64_t bound = bounds[i % 4];

        EXPECT_INT(rng_below(&r, i, 0, bound),
                   (int64_t)((wide)rng_bits(&r, i, 0) * (wide)bound >> 64));
    }
}

static int64_t *numbers(int64_t count, int64_t step)
{
    int64_t *items = MEM_NEW_N(int64_t, count);

    for (int64_t i = 0; i < count; i++)
        items[i] = i * step;
    return items;
}

static void test_an_order_is_a_permutation_sorted_by_bits(void)
{
    const struct rng r = rng_make(5, RNG_ORDER, 2);
    const int64_t n = 60000;
    int64_t *items = numbers(n, 1);
    char *seen = MEM_NEW_N(char, n);
    int64_t unsorted = 0, repeated = 0;

    rng_order(&r, items, n);
    for (int64_t i = 0; i < n; i++) {
        repeated += seen[items[i]]++ != 0;
        if (i > 0)
            unsorted +=
                rng_bits(&r, (uint64_t)items[i - 1], 0) > rng_bits(&r, (uint64_t)items[i], 0);
    }
    EXPECT_INT(unsorted, 0);
    EXPECT_INT(repeated, 0);
    mem_free(seen);
    mem_free(items);
}

static void test_the_order_of_a_subset_is_the_subset_of_the_order(void)
{
    const struct rng r = rng_make(5, RNG_ORDER, 2);
    int64_t *all = numbers(3000, 1), *some = numbers(1000, 3);
    int64_t found = 0;

    rng_order(&r, all, 3000);
    rng_order(&r, some, 1000);
    for (int64_t i = 0; i < 3000; i++)
        if (all[i] % 3 == 0)
            EXPECT_INT(all[i], some[found++]);
    EXPECT_INT(found, 1000);
    mem_free(all);
    mem_free(some);
}

static void test_the_order_does_not_depend_on_how_items_stood(void)
{
    const struct rng r = rng_make(6, RNG_ORDER, 0);
    int64_t *up = numbers(500, 1), *down = numbers(500, 1);

    for (int64_t i = 0; i < 500; i++)
        down[i] = 499 - i;
    rng_order(&r, up, 500);
    rng_order(&r, down, 500);
    EXPECT(memcmp(up, down, 500 * sizeof *up) == 0);
    mem_free(up);
    mem_free(down);
}

static void test_epochs_have_different_orders_without_a_trend(void)
{
    const struct rng first = rng_make(6, RNG_ORDER, 0), second = rng_make(6, RNG_ORDER, 1);
    const int64_t n = 10000;
    int64_t *a = numbers(n, 1), *b = numbers(n, 1);
    int64_t same_place = 0;
    double product = 0;

    rng_order(&first, a, n);
    rng_order(&second, b, n);
    for (int64_t i = 0; i < n; i++) {
        same_place += a[i] == b[i];
        product += ((double)a[i] / (double)n - 0.5) * ((double)i / (double)n - 0.5) * 12;
    }
    EXPECT(same_place < 10);                                  /* one is expected */
    EXPECT_NEAR(product / (double)n, 0, 5 / sqrt((double)n)); /* rank correlation with 0..n-1 */
    mem_free(a);
    mem_free(b);
}

static void test_orders_of_nothing_and_of_one_work(void)
{
    const struct rng r = rng_make(1, RNG_ORDER, 0);
    int64_t one = 9;

    rng_order(&r, NULL, 0);
    rng_order(&r, &one, 1);
    EXPECT_INT(one, 9);
}

TEST_MAIN(TEST(test_philox_gives_the_published_words),
          TEST(test_the_numbers_of_a_seed_never_change),
          TEST(test_each_part_of_the_name_of_a_number_changes_it),
          TEST(test_uniform_numbers_are_in_range_and_uniform),
          TEST(test_normal_numbers_have_the_moments_of_the_normal_law),
          TEST(test_normal_numbers_have_the_tails_of_the_normal_law),
          TEST(test_a_normal_number_agrees_with_the_formula),
          TEST(test_numbers_below_a_bound_are_in_range_and_uniform),
          TEST(test_below_a_large_bound_agrees_with_the_wide_product),
          TEST(test_an_order_is_a_permutation_sorted_by_bits),
          TEST(test_the_order_of_a_subset_is_the_subset_of_the_order),
          TEST(test_the_order_does_not_depend_on_how_items_stood),
          TEST(test_epochs_have_different_orders_without_a_trend),
          TEST(test_orders_of_nothing_and_of_one_work))
