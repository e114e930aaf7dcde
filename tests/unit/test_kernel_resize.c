/*
 * test_kernel_resize.c - sums of weighted bytes, against plain sums of 64-bit integers, for every
 * instruction set. test_golden_resize.c compares whole pictures with Pillow.
 */
#include "test_kernel.h"

enum { GUARD_BYTE = 0xa5, ONE = 1 << RESIZE_BITS };

static uint8_t *bytes_new(int64_t n, uint32_t stream)
{
    const struct rng r = rng_make(2, RNG_TEST, stream);
    uint8_t *x = MEM_NEW_N(uint8_t, n);

    for (int64_t i = 0; i < n; i++)
        x[i] = (uint8_t)(i % 5 == 0 ? 255 : rng_bits(&r, (uint64_t)i, 0));
    return x;
}

static uint8_t *guarded_bytes(int64_t n)
{
    uint8_t *x = MEM_NEW_N(uint8_t, n + GUARDS);

    memset(x, GUARD_BYTE, (size_t)(n + GUARDS));
    return x;
}

static bool bytes_stand(const uint8_t *x, int64_t n)
{
    for (int64_t i = n; i < n + GUARDS; i++)
        if (x[i] != GUARD_BYTE)
            return false;
    return true;
}

/* `count` weights whose sum is 1 or, by rounding, a little more. */
static void set_weights(int32_t *weights, int64_t count, int64_t number)
{
    const struct rng r = rng_make(3, RNG_TEST, (uint32_t)number);
    double sum = 0;

    for (int64_t k = 0; k < count; k++)
        sum += rng_uniform(&r, (uint64_t)k, 0);
    for (int64_t k = 0; k < count; k++)
        weights[k] = (int32_t)(0.5 + ONE * rng_uniform(&r, (uint64_t)k, 0) / sum);
}

static uint8_t rounded(int64_t sum)
{
    const int64_t value = (2 * sum + ONE) / (2 * (int64_t)ONE);

    return (uint8_t)(value > 255 ? 255 : value);
}

/* --- along rows --- */

static uint8_t expected_column(const uint8_t *in, const struct resize_taps *t, int64_t i, int64_t c)
{
    int64_t sum = 0;

    for (int64_t k = 0; k < t->count; k++)
        sum += (int64_t)t->weights[i * t->apart + k] * in[3 * (t->starts[i] + k) + c];
    return rounded(sum);
}

/* The last result has the last pixel, with nothing behind it. */
static void check_columns(const struct kernel *k, int64_t pixels, int64_t results, int64_t count)
{
    const int64_t apart = count + 2;
    int32_t *starts = MEM_NEW_N(int32_t, results), *weights = MEM_NEW_N(int32_t, results * apart);
    uint8_t *in = bytes_new(3 * pixels, (uint32_t)count), *out = guarded_bytes(3 * results);
    const struct resize_taps t = {results, pixels, count, apart, starts, weights};

    for (int64_t i = 0; i < results; i++) {
        starts[i] = (int32_t)(results == 1 ? pixels - count : i * (pixels - count) / (results - 1));
        set_weights(weights + i * apart, count, i);
    }
    k->resize_columns(out, in, &t);
    for (int64_t i = 0; i < 3 * results; i++)
        EXPECT_INT(out[i], expected_column(in, &t, i / 3, i % 3));
    EXPECT(bytes_stand(out, 3 * results));
    mem_free(starts);
    mem_free(weights);
    mem_free(in);
    mem_free(out);
}

static void test_results_of_a_row_are_rounded_sums(void)
{
    FOR_EACH_KERNEL(k)
    {
        for (int64_t count = 1; count <= 9; count++) {
            check_columns(k, count, 1, count);
            check_columns(k, count, 3, count);
            check_columns(k, 20, 7, count);
            check_columns(k, 50, 101, count);
        }
    }
}

/* --- along columns --- */

static void check_rows(const struct kernel *k, int64_t bytes, int64_t count)
{
    int32_t *weights = MEM_NEW_N(int32_t, count);
    uint8_t *in = bytes_new(bytes * count, (uint32_t)bytes), *out = guarded_bytes(bytes);

    set_weights(weights, count, bytes);
    k->resize_rows(out, in, &(struct resize_rows){weights, count, bytes});
    for (int64_t i = 0; i < bytes; i++) {
        int64_t sum = 0;

        for (int64_t row = 0; row < count; row++)
            sum += (int64_t)weights[row] * in[row * bytes + i];
        EXPECT_INT(out[i], rounded(sum));
    }
    EXPECT(bytes_stand(out, bytes));
    mem_free(weights);
    mem_free(in);
    mem_free(out);
}

static void test_rows_become_rounded_sums(void)
{
    static const int64_t sizes[] = {1, 3, 15, 16, 17, 63, 64, 65, 128, 672};

    FOR_EACH_KERNEL(k)
    {
        for (int64_t count = 1; count <= 9; count++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                check_rows(k, sizes[i], count);
    }
}

/* Weights that are rounded up may sum to more than 1: white stays white. */
static void test_a_sum_above_255_is_255(void)
{
    const int32_t weights[2] = {ONE / 2 + 9000, ONE / 2 + 9000}, starts[2] = {0, 0};
    const struct resize_taps t = {2, 3, 2, 0, starts, weights};
    uint8_t white[3 * 3], out[2 * 3];

    memset(white, 255, sizeof white);
    FOR_EACH_KERNEL(k)
    {
        k->resize_columns(out, white, &t);
        EXPECT(memcmp(out, white, sizeof out) == 0);
        k->resize_rows(out, white, &(struct resize_rows){weights, 2, 4});
        EXPECT(memcmp(out, white, 4) == 0);
    }
}

TEST_MAIN(TEST(test_results_of_a_row_are_rounded_sums), TEST(test_rows_become_rounded_sums),
          TEST(test_a_sum_above_255_is_255))
