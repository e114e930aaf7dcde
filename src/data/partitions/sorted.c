/*
 * sorted.c - the training set sorted by label (then by number) and cut into one piece for each
 * worker: S001's scaling study.
 *
 * Sizes differ by at most one. The seed has no part in it.
 */
#include "data/partition_list.h"

static enum status sorted_deal(const void *options, const struct partition_request *q,
                               struct deal *d)
{
    struct deal_classes c;

    (void)options;
    deal_classes_init(&c, q);
    deal_chunks(d, c.samples, q->count, q->workers);
    deal_classes_release(&c);
    return STATUS_OK;
}

const struct partition_ops sorted_partition = {
    .entry =
        {
                .name = "sorted",
                .summary = "sorted by label and cut into pieces of equal size, within one sample",
                },
    .needs_labels = true,
    .deal = sorted_deal,
};
