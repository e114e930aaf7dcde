/*
 * test_kernel_peak.c - the loops that measure the machine do the work that they count.
 */
#include "unit/test_kernel.h"

static void test_every_chain_of_multiply_adds_goes_to_its_fixed_point(void)
{
    FOR_EACH_KERNEL(k)
    {
        const int64_t iterations = 40000; /* (1 - 2^-10)^40000 is 1e-17 */
        float few = 0.0F, many = 0.0F;
        const double flops = k->fma_peak(&many, iterations);

        /* A chain is a lane: 2 operations per iteration, and 1 at its end, up to where a step is
         * less than half a unit in the last place. */
        EXPECT_NEAR((double)many, flops / (2.0 * (double)iterations), 1e-3 * (double)many);
        EXPECT_NEAR(k->fma_peak(&few, 1), flops / (double)iterations, 0.0);
        EXPECT(few < many && few > 0.0F);
    }
}

static void test_a_stream_reads_copies_and_updates_all_that_it_is_given(void)
{
    enum { N = 256 };
    float *x = numbers_new(N, 1);
    double sum = 0.0;

    for (int i = 0; i < N; i++)
        sum += (double)x[i];
    FOR_EACH_KERNEL(k)
    {
        float *y = guarded_new(N), *z = guarded_new(N);

        EXPECT_NEAR((double)k->stream_peak(NULL, x, N, STREAM_READ), sum, 1e-4);
        k->stream_peak(y, x, N, STREAM_COPY);
        EXPECT(same_bits(y, x, N) && guards_stand(y, N));
        k->stream_peak(z, x, N, STREAM_COPY);
        k->stream_peak(z, x, N, STREAM_UPDATE);
        for (int i = 0; i < N; i++)
            EXPECT_NEAR((double)z[i], (double)x[i] * 1.9990234375, 1e-6);
        EXPECT(guards_stand(z, N));
        mem_free(y);
        mem_free(z);
    }
    mem_free(x);
}

TEST_MAIN(TEST(test_every_chain_of_multiply_adds_goes_to_its_fixed_point),
          TEST(test_a_stream_reads_copies_and_updates_all_that_it_is_given))
