/*
 * sampler.c - the order of an epoch, and where in it a run stands.
 */
#include "data/sampler.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

static void put_in_order(struct sampler *s)
{
    const struct rng r = rng_make(s->seed, RNG_ORDER, (uint32_t)s->epoch);

    memcpy(s->order, s->items, (size_t)s->count * sizeof *s->order);
    rng_order(&r, s->order, s->count);
}

void sampler_init(struct sampler *s, const int64_t *items, int64_t count, int64_t batch_size,
                  uint64_t seed)
{
    CHECK(count > 0 && batch_size > 0);
    *s = (struct sampler){
        .seed = seed,
        .count = count,
        .batch_size = batch_size,
        .order = MEM_NEW_N(int64_t, count),
        .items = MEM_NEW_N(int64_t, count),
    };
    memcpy(s->items, items, (size_t)count * sizeof *items);
    put_in_order(s);
}

void sampler_release(struct sampler *s)
{
    mem_free(s->order);
    mem_free(s->items);
    *s = (struct sampler){0};
}

int64_t sampler_batches(const struct sampler *s)
{
    return (s->count + s->batch_size - 1) / s->batch_size;
}

void sampler_seek(struct sampler *s, int64_t epoch, int64_t batch)
{
    CHECK(epoch >= 0 && epoch <= UINT32_MAX);
    CHECK(batch >= 0 && batch <= sampler_batches(s));
    s->batch = batch;
    if (epoch != s->epoch) {
        s->epoch = epoch;
        put_in_order(s);
    }
}

const int64_t *sampler_next(struct sampler *s, int64_t *size)
{
    int64_t begin, left;

    /* Not right after the last batch: its numbers are still in the caller's hands then. */
    if (s->batch == sampler_batches(s))
        sampler_seek(s, s->epoch + 1, 0);
    begin = s->batch * s->batch_size;
    left = s->count - begin;
    *size = left < s->batch_size ? left : s->batch_size;
    s->batch++;
    return s->order + begin;
}
