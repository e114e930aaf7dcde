/*
 * strided.c - worker w takes positions w, w + W, w + 2 W, ... of the epoch's global random order.
 *
 * Dealt anew each epoch, W workers with batches of B / W visit in every step the same samples as
 * one worker with batches of B. Dealt once (redeal: false), the deal is that of epoch 0, as S003's;
 * each worker's own order still changes with the epoch.
 *
 * Sizes differ by at most one; nothing is padded (PyTorch's DistributedSampler repeats samples).
 */
#include <string.h>

#include "base/mem.h"
#include "data/partition_list.h"

struct strided_opts {
    bool redeal;
};

static const struct field strided_fields[] = {
    FIELD_BOOL(struct strided_opts, redeal, true, "partition again in each epoch, instead of once"),
    FIELD_LAST,
};

static enum status strided_assign(const void *options, const struct partition_request *q,
                                  struct assignment *d)
{
    const struct strided_opts *opts = options;
    const struct rng epoch0 = rng_make(q->seed, RNG_ORDER, 0);
    int64_t *order = MEM_NEW_N(int64_t, q->count);

    memcpy(order, q->samples, (size_t)q->count * sizeof *order);
    file_order(&epoch0, &q->files, order, q->count);
    partition_assign_in_turn(d, order, q->count,
                             (struct partition_turn){.step = 1, .among = q->workers});
    mem_free(order);
    d->redeal = opts->redeal;
    return STATUS_OK;
}

const struct partition_ops strided_partition = {
    .entry = {.name = "strided",
              .summary =
                  "every W-th sample of a random order, which is drawn again in each epoch or once", .fields = strided_fields,
              .options_size = sizeof(struct strided_opts)},
    .assign = strided_assign,
};
