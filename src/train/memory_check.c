/*
 * memory_check.c - compares the estimate of a run's memory with what there is, and searches for
 * batches that fit.
 */
#include "train/memory_check.h"

#include "base/mem.h"
#include "train/memory_estimate.h"

static const double usable = 0.95; /* of the memory: the system needs some */

/* A run and the memory that it has. */
struct memory_case {
    const struct build *build;
    const struct build_size *size;
    double most; /* bytes */
};

static double need_of(const struct memory_case *c, struct problem_batch batch)
{
    const struct memory_estimate bytes = memory_estimate_with(c->build, c->size, batch);

    return memory_estimate_total(&bytes);
}

static bool fits(const struct memory_case *c, int64_t batch, int64_t micro_batch)
{
    return need_of(c, (struct problem_batch){batch, micro_batch}) <= c->most;
}

/* The largest batch that fits as a whole; 0: none. */
static int64_t find_batch(const struct memory_case *c)
{
    int64_t good = 0, bad = c->build->plan->batch + 1;

    while (bad - good > 1) {
        const int64_t middle = good + (bad - good) / 2;

        if (fits(c, middle, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* The largest power of two with which the batch fits in parts; 0: none. */
static int64_t find_micro_batch(const struct memory_case *c)
{
    const int64_t batch = c->build->plan->batch;
    int64_t part = 1;

    while (2 * part < batch)
        part *= 2;
    while (part > 0 && !fits(c, batch, part))
        part /= 2;
    return part;
}

static double gigabytes(double bytes)
{
    return bytes / 1e9;
}

/* What would fit, as the end of a message; mem_free. */
static char *advice_of(const struct memory_case *c)
{
    const int64_t batch = find_batch(c), part = find_micro_batch(c);
    const bool has_workers = c->build->workers > 1;

    if (batch == 0)
        return text_format("even batches of one sample need %.1f GB, so use %sa smaller model",
                           gigabytes(need_of(c, (struct problem_batch){1, 1})),
                           has_workers ? "fewer --workers or " : "");
    if (part == 0)
        return text_format("the largest batch that fits is --batch-size %lld", (long long)batch);
    return text_format("use --micro-batch %lld to compute each batch in parts that fit, or a batch "
                       "of at most --batch-size %lld",
                       (long long)part, (long long)batch);
}

enum status memory_check(const struct build *b, const struct build_size *size,
                         const struct host_memory *have)
{
    const struct memory_case c = {b, size, usable * have->bytes};
    const struct memory_estimate bytes = memory_estimate(b, size);
    const char *most = b->workers > 1 ? "transport.workers" : "model";

    if (memory_estimate_total(&bytes) <= c.most)
        return STATUS_OK;
    char *batches = problem_plan_batch_text(b->plan, b->plan->batch), *advice = advice_of(&c);
    const enum status s =
        FAIL(STATUS_BAD_INPUT,
             "%s: training %s with batches of %s and %d worker%s needs %.1f GB, but %s %.1f GB: %s",
             bytes.states > bytes.work ? most : "train.batch_size", b->plan->name, batches,
             b->workers, b->workers == 1 ? "" : "s", gigabytes(memory_estimate_total(&bytes)),
             have->who, gigabytes(have->bytes), advice);
    mem_free(batches);
    mem_free(advice);
    return s;
}
