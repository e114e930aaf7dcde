/*
 * peak.c - what this core can do at best: multiply-adds that stay in registers, and arrays that
 * stream through the memory. Benchmarks measure kernels against these.
 *
 * Registers of fma_peak: 12 accumulators, factor and summand, of 16. Twelve independent chains
 * cover a latency of 4 to 6 cycles at two instructions a cycle.
 */
#include "kernel/simd/functions.h"

/*
 * Each chain goes to the fixed point SUMMAND / (1 - FACTOR) = 1, far from denormal numbers. None
 * may begin there: the compiler would see that it stays, and leave it out.
 */
#define FACTOR  0.9990234375F
#define SUMMAND 0.0009765625F

#define EACH_CHAIN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
enum { CHAINS = 12 };

double KERNEL(fma_peak)(float *result, int64_t iterations)
{
    const vec factor = vec_all(FACTOR), summand = vec_all(SUMMAND);

#define START(i) vec a##i = vec_all((float)(i)*0.0625F);
    EACH_CHAIN(START)
    for (int64_t n = 0; n < iterations; n++) {
#define STEP(i) a##i = a##i * factor + summand;
        EACH_CHAIN(STEP)
    }
    vec sum = vec_all(0.0F);
#define ADD(i) sum += a##i;
    EACH_CHAIN(ADD)
    *result = 0.0F;
    for (int i = 0; i < LANES; i++)
        *result += sum[i];
    return 2.0 * CHAINS * LANES * (double)iterations;
}

/*
 * Both halves of an array at once, because the memory serves several streams faster than one. n is
 * cut to a multiple of twice this: what is measured has no tail.
 */
enum { BLOCK = 4 * LANES };

static float stream_read(const float *from, int64_t half)
{
    vec a = vec_all(0.0F), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    float sum = 0.0F;

    for (int64_t i = 0; i < half; i += BLOCK) {
        const float *first = from + i, *second = from + half + i;

        a += vec_load(first);
        b += vec_load(first + LANES);
        c += vec_load(first + 2 * LANES);
        d += vec_load(first + 3 * LANES);
        e += vec_load(second);
        f += vec_load(second + LANES);
        g += vec_load(second + 2 * LANES);
        h += vec_load(second + 3 * LANES);
    }
    a = ((a + b) + (c + d)) + ((e + f) + (g + h));
    for (int i = 0; i < LANES; i++)
        sum += a[i];
    return sum;
}

INLINE void copy_block(float *to, const float *from)
{
    const vec a = vec_load(from), b = vec_load(from + LANES);
    const vec c = vec_load(from + 2 * LANES), d = vec_load(from + 3 * LANES);

    vec_store(to, a);
    vec_store(to + LANES, b);
    vec_store(to + 2 * LANES, c);
    vec_store(to + 3 * LANES, d);
}

static void stream_copy(float *to, const float *from, int64_t half)
{
    for (int64_t i = 0; i < half; i += BLOCK) {
        copy_block(to + i, from + i);
        copy_block(to + half + i, from + half + i);
    }
}

INLINE void update_block(float *to, const float *from)
{
    const vec a = vec_load(to) * FACTOR + vec_load(from);
    const vec b = vec_load(to + LANES) * FACTOR + vec_load(from + LANES);
    const vec c = vec_load(to + 2 * LANES) * FACTOR + vec_load(from + 2 * LANES);
    const vec d = vec_load(to + 3 * LANES) * FACTOR + vec_load(from + 3 * LANES);

    vec_store(to, a);
    vec_store(to + LANES, b);
    vec_store(to + 2 * LANES, c);
    vec_store(to + 3 * LANES, d);
}

static void stream_update(float *to, const float *from, int64_t half)
{
    for (int64_t i = 0; i < half; i += BLOCK) {
        update_block(to + i, from + i);
        update_block(to + half + i, from + half + i);
    }
}

float KERNEL(stream_peak)(float *to, const float *from, int64_t n, enum stream_mix mix)
{
    const int64_t half = n / (2 * BLOCK) * BLOCK;

    switch (mix) {
    case STREAM_READ:
        return stream_read(from, half);
    case STREAM_COPY:
        stream_copy(to, from, half);
        break;
    case STREAM_UPDATE:
        stream_update(to, from, half);
        break;
    }
    return 0.0F;
}
