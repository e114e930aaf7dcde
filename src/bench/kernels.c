/*
 * kernels.c - times the cases of kernel_cases.c.
 *
 * The bound of a case is the larger of two times: its operations at the rate of the peak, and its
 * bytes at the rate of a plain stream over as much memory.
 */
#include "bench/kernels.h"

#include <math.h>

#include "base/clock.h"
#include "base/mem.h"

enum { WINDOWS = 5, PEAK_EVERY = 8, FLOATS_LEAST = 1 << 20 };

/* Case i of all lists; NULL when there are no more. */
static const struct kernel_case *case_at(int64_t i)
{
    static const struct kernel_case *const lists[] = {kernel_cases, kernel_conv_cases, NULL};

    for (int list = 0; lists[list] != NULL; list++)
        for (const struct kernel_case *c = lists[list]; c->name != NULL; c++)
            if (i-- == 0)
                return c;
    return NULL;
}

static int64_t count_cases(void)
{
    int64_t count = 0;

    while (case_at(count) != NULL)
        count++;
    return count;
}

/* No array of any case has more floats. */
static int64_t most_floats(void)
{
    double most = FLOATS_LEAST;

    for (int64_t i = 0; i < count_cases(); i++) {
        const struct kernel_case *c = case_at(i);
        const double all = fmax(c->read, c->written);

        most = fmax(most, c->n == 0 && c->k == 0 ? (double)c->m : all);
    }
    return (int64_t)most;
}

static void work_init(struct kernel_work *w, const struct kernel *k)
{
    const int64_t n = most_floats();

    *w = (struct kernel_work){
        .kernel = k,
        .a = MEM_NEW_N(float, n),
        .b = MEM_NEW_N(float, n),
        .c = MEM_NEW_N(float, n),
        .d = MEM_NEW_N(float, n),
        .e = MEM_NEW_N(float, n),
        .index = MEM_NEW_N(int32_t, n),
        .sums = MEM_NEW_N(double, n),
    };
    /* A sequence without visible period: neither branch predictors nor ReLU see a pattern. */
    uint32_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 1664525U + 1013904223U;
        w->a[i] = (float)((state >> 8) + 1U) * 0x1p-24F;
        w->b[i] = w->a[i] * 2.0F - 1.0F;
    }
}

static void work_release(struct kernel_work *w)
{
    mem_free(w->a);
    mem_free(w->b);
    mem_free(w->c);
    mem_free(w->d);
    mem_free(w->e);
    mem_free(w->index);
    mem_free(w->sums);
    *w = (struct kernel_work){0};
}

static double time_of(const struct kernel_case *c, const struct kernel_work *w, int64_t calls)
{
    const double start = clock_seconds();

    for (int64_t i = 0; i < calls; i++)
        c->run(w);
    return (clock_seconds() - start) / (double)calls;
}

/* Seconds of one call: the best of several windows. */
static double best_time(const struct kernel_case *c, const struct kernel_work *w, double seconds)
{
    if (c->prepare != NULL)
        c->prepare(w);
    double best = time_of(c, w, 1);

    best = fmin(best, time_of(c, w, 1)); /* the first brought pages and caches */
    const double calls = fmax(1.0, fmin(1e7, seconds / WINDOWS / fmax(best, 1e-9)));
    for (int i = 0; i < WINDOWS; i++)
        best = fmin(best, time_of(c, w, (int64_t)calls));
    return best;
}

static double touched_bytes(const struct kernel_case *c)
{
    return (c->touched > 0 ? c->touched : c->read + c->written) * sizeof(float);
}

/* A stream over the same amount of memory with the nearest mix of reading and writing. */
static double memory_rate(const struct kernel_case *c, const struct kernel *k)
{
    struct peak_stream s = {.bytes = touched_bytes(c), .mix = STREAM_COPY};

    if (c->written <= 0)
        s.mix = STREAM_READ;
    else if (c->read > c->written)
        s.mix = STREAM_UPDATE;
    else
        s.is_in_place = c->touched > 0 && c->touched <= c->written;
    return peak_stream(k, &s);
}

static struct kernel_rate rate_of(const struct kernel_case *c, const struct kernel_work *w,
                                  double window)
{
    const double seconds = best_time(c, w, window);

    return (struct kernel_rate){
        .of = c,
        .seconds = seconds,
        .gflops = c->flops / seconds * 1e-9,
        .gbytes = (c->read + c->written) * sizeof(float) / seconds * 1e-9,
        .bound_rate = memory_rate(c, w->kernel),
    };
}

/* Which of the two bounds it is, once the peak is known. */
static void bind(struct kernel_rate *rate, const struct kernel_report *r)
{
    const double of_peak = rate->gflops / r->peak, of_memory = rate->gbytes / rate->bound_rate;
    const bool is_fma = of_peak >= of_memory;

    rate->bound = is_fma ? "fma" : peak_level_of(&r->memory, touched_bytes(rate->of))->name;
    rate->bound_rate = is_fma ? r->peak : rate->bound_rate;
    rate->percent = 100.0 * fmax(of_peak, of_memory);
}

void kernels_measure(struct kernel_report *r, const struct kernel *k, double seconds)
{
    const int64_t cases = count_cases();
    struct team *one = team_new(1);
    struct kernel_work w;

    *r = (struct kernel_report){.rates = MEM_NEW_N(struct kernel_rate, cases)};
    peak_memory_measure(&r->memory, k);
    work_init(&w, k);
    for (; r->count < cases; r->count++) {
        const struct kernel_case *c = case_at(r->count);

        w.m = c->m;
        w.n = c->n;
        w.k = c->k;
        if (r->count % PEAK_EVERY == 0) /* a busy machine has quiet moments */
            r->peak = fmax(r->peak, peak_fma(k, one));
        r->rates[r->count] = rate_of(c, &w, seconds);
    }
    for (int64_t i = 0; i < cases; i++)
        bind(&r->rates[i], r);
    work_release(&w);
    team_free(one);
}

void kernels_release(struct kernel_report *r)
{
    mem_free(r->rates);
    *r = (struct kernel_report){0};
}
