/*
 * peak.c - measures the machine's peaks with the kernels that are made for it (simd/peak.c).
 */
#include "bench/peak.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/mem.h"

/* Many short runs: the best of them is one that nothing disturbed. */
enum { FMA_RUNS = 40, STREAM_RUNS = 16, BLOCK = 64 }; /* floats: what a stream is cut to */
#define FMA_SECONDS    0.001
#define STREAM_SECONDS 0.001

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double peak_median(double *values, int64_t count)
{
    CHECK(count > 0);
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

/* --- multiply-adds --- */

struct fma_run {
    const struct kernel *kernel;
    int64_t iterations;
    double flops; /* of thread 0; every thread does the same */
};

static void fma_share(void *context, int thread, int threads)
{
    struct fma_run *run = context;
    float result = 0;
    const double flops = run->kernel->fma_peak(&result, run->iterations);

    CHECK(result > 0);
    if (thread == 0)
        run->flops = flops * threads;
}

static double fma_rate(struct fma_run *run, struct team *team)
{
    const double start = clock_seconds();

    team_run(team, fma_share, run);
    return run->flops / (clock_seconds() - start);
}

double peak_fma(const struct kernel *k, struct team *team)
{
    struct fma_run run = {.kernel = k, .iterations = 20000};
    double seconds, best = 0;

    (void)fma_rate(&run, team); /* wakes the clock up */
    seconds = run.flops / fma_rate(&run, team);
    run.iterations = (int64_t)((double)run.iterations * FMA_SECONDS / seconds) + 1;
    for (int i = 0; i < FMA_RUNS; i++)
        best = fmax(best, fma_rate(&run, team));
    return best * 1e-9;
}

/* --- memory --- */

struct stream_run {
    const struct kernel *kernel;
    float *to, *from;
    int64_t n;
    enum stream_mix mix;
};

static double stream_bytes(enum stream_mix mix, int64_t n)
{
    static const int arrays[PEAK_MIXES] = {
        [STREAM_READ] = 1, [STREAM_COPY] = 2, [STREAM_UPDATE] = 3};

    return (double)arrays[mix] * (double)n * sizeof(float);
}

/* Bytes per second of as many passes as fill the time. */
static double stream_rate(const struct stream_run *s)
{
    const double pass = stream_bytes(s->mix, s->n), start = clock_seconds();
    const int64_t passes = (int64_t)(1e5 / pass) + 1; /* the clock is not looked at after each */
    double end = start, bytes = 0;

    while (end - start < STREAM_SECONDS) {
        for (int64_t i = 0; i < passes; i++)
            CHECK(s->kernel->stream_peak(s->to, s->from, s->n, s->mix) >= 0);
        bytes += pass * (double)passes;
        end = clock_seconds();
    }
    return bytes / (end - start);
}

static int64_t array_count(const struct peak_stream *s)
{
    return s->mix == STREAM_READ || s->is_in_place ? 1 : 2;
}

/* Written, and not 0: pages that nobody writes are all the same one. */
static float *filled(int64_t n)
{
    float *x = MEM_NEW_N(float, n);

    for (int64_t i = 0; i < n; i++)
        x[i] = 1.0F;
    return x;
}

double peak_stream(const struct kernel *k, const struct peak_stream *s)
{
    const int64_t floats = (int64_t)(s->bytes / sizeof(float)) / array_count(s);
    const int64_t n = (floats + BLOCK - 1) / BLOCK * BLOCK;
    float *from = filled(n), *to = array_count(s) == 1 ? from : filled(n);
    const struct stream_run run = {.kernel = k, .to = to, .from = from, .n = n, .mix = s->mix};
    double best = 0;

    for (int i = 0; i < STREAM_RUNS; i++)
        best = fmax(best, stream_rate(&run));
    mem_free(from);
    if (to != from)
        mem_free(to);
    return best * 1e-9;
}

/* Half of what the level holds: the other half is for all else. */
static void measure_level(struct peak_level *level, const struct kernel *k, double bytes)
{
    for (int mix = 0; mix < PEAK_MIXES; mix++) {
        const struct peak_stream s = {.bytes = bytes / 2, .mix = (enum stream_mix)mix};

        level->rate[mix] = peak_stream(k, &s);
    }
}

void peak_memory_measure(struct peak_memory *m, const struct kernel *k)
{
    static const struct {
        const char *name;
        int key;
        long usual; /* where the system does not say */
    } caches[] = {
        {"L1", _SC_LEVEL1_DCACHE_SIZE, 32768  },
        {"L2", _SC_LEVEL2_CACHE_SIZE,  524288 },
        {"L3", _SC_LEVEL3_CACHE_SIZE,  8388608},
    };
    const double dram = 256e6;
    const double most = 32e6; /* of a cache: a virtual machine is told all that the host has */

    *m = (struct peak_memory){0};
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        const long known = sysconf(caches[i].key);
        const double bytes = fmin((double)(known > 0 ? known : caches[i].usual), most);
        struct peak_level *level = &m->levels[m->count++];

        *level = (struct peak_level){.name = caches[i].name, .bytes = bytes};
        measure_level(level, k, bytes);
    }
    m->levels[m->count] = (struct peak_level){.name = "DRAM", .bytes = (double)INFINITY};
    measure_level(&m->levels[m->count++], k, dram);
}

const struct peak_level *peak_level_of(const struct peak_memory *m, double bytes)
{
    for (int i = 0; i < m->count; i++)
        if (bytes <= m->levels[i].bytes)
            return &m->levels[i];
    BUG("the last level holds everything");
}
