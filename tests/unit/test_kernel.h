/*
 * test_kernel.h - what the tests of kernels share: every table in turn, numbers, guarded arrays.
 */
#ifndef TESTS_UNIT_TEST_KERNEL_H
#define TESTS_UNIT_TEST_KERNEL_H

#include "base/mem.h"
#include "base/rng.h"
#include "kernel/kernel.h"
#include "test.h"

#define FOR_EACH_KERNEL(k) \
    for (const struct kernel *const *it_ = kernel_all(), *k; (k = *it_) != NULL; it_++)

enum { GUARDS = 16 };
#define GUARD (-12345.75F)

/* An array of exactly n floats on the heap, uniform on [-1, 1). To be freed by mem_free. */
static inline float *numbers_new(int64_t n, uint32_t stream)
{
    const struct rng r = rng_make(1, RNG_TEST, stream);
    float *x = MEM_NEW_N(float, n);

    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(2.0 * rng_uniform(&r, (uint64_t)i, 0) - 1.0);
    return x;
}

static inline float *zeros_new(int64_t n)
{
    return MEM_NEW_N(float, n);
}

static inline float *numbers_copy(const float *x, int64_t n)
{
    float *copy = MEM_NEW_N(float, n);

    memcpy(copy, x, (size_t)n * sizeof *x);
    return copy;
}

/* n + GUARDS floats, all of them the guard. */
static inline float *guarded_new(int64_t n)
{
    float *x = MEM_NEW_N(float, n + GUARDS);

    for (int64_t i = 0; i < n + GUARDS; i++)
        x[i] = GUARD;
    return x;
}

static inline bool guards_stand(const float *x, int64_t n)
{
    for (int64_t i = n; i < n + GUARDS; i++)
        if (x[i] != GUARD)
            return false;
    return true;
}

static inline bool same_bits(const float *a, const float *b, int64_t n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

#endif
