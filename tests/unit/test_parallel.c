/*
 * test_parallel.c - optim/parallel.h: sums whose bits do not depend on the threads, and elements
 * that each belong to one of them.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "optim/parallel.h"
#include "test.h"

enum { THREADS_MAX = 4 };

/* Below what threads are used for, above it, and so long that pieces grow with the length. */
static const int64_t lengths[] = {1, 37, 16384, 16385, 32767, 32768, 70011, 1100017};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* Of many sizes, so that another order of adding is another sum. */
static float *numbers_new(int64_t n, uint32_t stream)
{
    const struct rng r = rng_make(9, RNG_TEST, stream);
    float *x = MEM_NEW_N(float, n);

    for (int64_t i = 0; i < n; i++)
        x[i] = (float)rng_uniform(&r, (uint64_t)i, 0) - 0.3F;
    return x;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static struct parallel with_threads(struct team_pool **teams, int threads)
{
    *teams = threads == 0 ? NULL : team_pool_new(threads);
    return parallel_begin(*teams);
}

static void expect_sums(const struct parallel *p, const float *x, const float *y, int64_t n)
{
    const struct parallel alone = {.kernel = p->kernel};

    EXPECT(same_bits(parallel_dot(p, x, y, n), parallel_dot(&alone, x, y, n)));
    EXPECT(same_bits(parallel_sum_abs(p, x, n), parallel_sum_abs(&alone, x, n)));
    EXPECT(parallel_max_abs(p, x, n) == p->kernel->max_abs(x, n));
    EXPECT_NEAR(parallel_dot(p, x, y, n), p->kernel->dot(x, y, n), 1e-12 * (double)n);
    EXPECT_NEAR(parallel_sum_abs(p, x, n), p->kernel->sum_abs(x, n), 1e-12 * (double)n);
}

static void test_sums_have_the_same_bits_with_any_number_of_threads(void)
{
    for (int k = 0; k < LENGTHS; k++) {
        const int64_t n = lengths[k];
        float *x = numbers_new(n, 1), *y = numbers_new(n, 2);

        for (int threads = 0; threads <= THREADS_MAX; threads++) {
            struct team_pool *teams;
            struct parallel p = with_threads(&teams, threads);

            expect_sums(&p, x, y, n);
            parallel_end(&p, teams);
            team_pool_free(teams);
        }
        mem_free(x);
        mem_free(y);
    }
}

static void test_a_short_sum_has_the_bits_of_the_kernels(void)
{
    const struct parallel p = {.kernel = kernel_get()};
    float *x = numbers_new(16384, 1), *y = numbers_new(16384, 2);

    for (int64_t n = 1; n <= 16384; n = 3 * n + 1)
        EXPECT(same_bits(parallel_dot(&p, x, y, n), p.kernel->dot(x, y, n)));
    EXPECT(same_bits(parallel_dot(&p, x, y, 16384), p.kernel->dot(x, y, 16384)));
    mem_free(x);
    mem_free(y);
}

static void test_elements_get_the_bits_of_one_thread(void)
{
    const int64_t n = 70011;
    const size_t bytes = (size_t)n * sizeof(float);
    const struct kernel *k = kernel_get();
    float *x = numbers_new(n, 1), *y = numbers_new(n, 2), *alone = MEM_NEW_N(float, n);

    memcpy(alone, y, bytes);
    k->scale(alone, 0.7F, n);
    k->axpy(alone, -1.3F, x, n);
    for (int threads = 0; threads <= THREADS_MAX; threads++) {
        float *shared = MEM_NEW_N(float, n);
        struct team_pool *teams;
        struct parallel p = with_threads(&teams, threads);

        parallel_copy(&p, shared, y, n);
        parallel_scale(&p, shared, 0.7F, n);
        parallel_axpy(&p, shared, -1.3F, x, n);
        EXPECT(memcmp(shared, alone, bytes) == 0);
        parallel_end(&p, teams);
        team_pool_free(teams);
        mem_free(shared);
    }
    mem_free(x);
    mem_free(y);
    mem_free(alone);
}

static void test_one_nan_makes_the_largest_nan(void)
{
    const int64_t n = 70011;
    float *x = numbers_new(n, 1);
    struct team_pool *teams;
    struct parallel p = with_threads(&teams, 3);

    for (int64_t i = 0; i < n; i += 17500) {
        const float kept = x[i];
        x[i] = NAN;
        EXPECT(isnan(parallel_max_abs(&p, x, n)));
        x[i] = kept;
    }
    EXPECT(!isnan(parallel_max_abs(&p, x, n)));
    parallel_end(&p, teams);
    team_pool_free(teams);
    mem_free(x);
}

TEST_MAIN(TEST(test_sums_have_the_same_bits_with_any_number_of_threads),
          TEST(test_a_short_sum_has_the_bits_of_the_kernels),
          TEST(test_elements_get_the_bits_of_one_thread), TEST(test_one_nan_makes_the_largest_nan))
