/*
 * split.c - a random order of the samples, cut into one piece for each worker (S000's
 * --split_dataset, S001's random).
 *
 * Sizes differ by at most one. S000 cuts pieces of ceil(n / W), of which the last may be much
 * shorter.
 */
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/partition_list.h"

static enum status split_assign(const void *options, const struct partition_request *q,
                                struct assignment *d)
{
    const struct rng r = rng_make(q->seed, RNG_PARTITION, PARTITION_SPLIT);
    int64_t *order = MEM_NEW_N(int64_t, q->count);

    (void)options;
    memcpy(order, q->samples, (size_t)q->count * sizeof *order);
    rng_order(&r, order, q->count);
    partition_assign_chunks(d, order, q->count, q->workers);
    mem_free(order);
    return STATUS_OK;
}

const struct partition_ops split_partition = {
    .entry = {.name = "split",
              .also = "iid",
              .summary = "random pieces of equal size, within one sample"},
    .assign = split_assign,
};
