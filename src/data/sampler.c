/*
 * sampler.c - the order of an epoch, and where in it a run stands.
 */
#include "data/sampler.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "data/dealt_order.h"

uint64_t sampler_pass_seed(uint64_t seed, int64_t pass)
{
    const struct rng r = rng_make(seed, RNG_PARTITION, PARTITION_REPEAT);

    return pass == 0 ? seed : rng_bits(&r, (uint64_t)pass, 0);
}

static void order_by(const struct sampler *s, int64_t pass, int64_t *items, int64_t count)
{
    const struct rng r = rng_make(sampler_pass_seed(s->seed, pass), RNG_ORDER, (uint32_t)s->epoch);

    file_order(&r, &s->files, items, count);
}

/* The epoch's partition is that of its first pass: later ones have the same samples in another
 * order. */
static void put_in_order(struct sampler *s)
{
    if (s->dealt != NULL)
        dealt_order_take(s->dealt, s->seed, s->epoch,
                         &(struct dealt_share){s->order, s->count, s->first, s->step});
    else
        memcpy(s->order, s->items, (size_t)s->count * sizeof *s->order);
    if (s->dealt == NULL || s->pass > 0)
        order_by(s, s->pass, s->order, s->count);
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
        .copy = MEM_NEW_N(int64_t, count),
    };
    memcpy(s->copy, items, (size_t)count * sizeof *items);
    s->items = s->copy;
    put_in_order(s);
}

/* Worker 0 has the order of a single run; the others draw a seed, as far apart as two runs. */
static uint64_t seed_of_worker(uint64_t seed, int worker)
{
    const struct rng r = rng_make(seed, RNG_PARTITION, PARTITION_ORDER);

    return worker == 0 ? seed : rng_bits(&r, (uint64_t)worker, 0);
}

void sampler_init_part(struct sampler *s, struct sampler_part part, int64_t batch_size,
                       uint64_t seed)
{
    const struct partition *p = part.partition;
    const int w = part.worker;

    CHECK(w >= 0 && w < p->workers && p->counts[w] > 0 && batch_size > 0);
    *s = (struct sampler){
        .seed = p->own_order ? seed_of_worker(seed, w) : seed,
        .count = p->counts[w],
        .batch_size = batch_size,
        .order = MEM_NEW_N(int64_t, p->counts[w]),
        .items = p->items[w],
        .files = p->files,
        .dealt = p->workers > 1 ? p->dealt : NULL,
        .first = w,
        .step = p->workers,
    };
    put_in_order(s);
}

void sampler_release(struct sampler *s)
{
    mem_free(s->order);
    mem_free(s->copy);
    *s = (struct sampler){0};
}

int64_t sampler_batches(const struct sampler *s)
{
    return (s->count + s->batch_size - 1) / s->batch_size;
}

void sampler_seek_pass(struct sampler *s, int64_t epoch, int64_t pass, int64_t batch)
{
    CHECK(epoch >= 0 && epoch <= UINT32_MAX && pass >= 0);
    CHECK(batch >= 0 && batch <= sampler_batches(s));
    s->batch = batch;
    if (epoch != s->epoch || pass != s->pass) {
        s->epoch = epoch;
        s->pass = pass;
        put_in_order(s);
    }
}

void sampler_seek(struct sampler *s, int64_t epoch, int64_t batch)
{
    sampler_seek_pass(s, epoch, 0, batch);
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
