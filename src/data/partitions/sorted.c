/*
 * sorted.c - the training set sorted by label (then by number) and cut into one piece for each
 * worker: S001's scaling study.
 *
 * Sizes differ by at most one. The seed has no part in it.
 */
#include "data/partition_list.h"

static enum status sorted_assign(const void *options, const struct partition_request *q,
                                 struct assignment *d)
{
    struct partition_classes c;

    (void)options;
    partition_classes_init(&c, q);
    partition_assign_chunks(d, c.samples, q->count, q->workers);
    partition_classes_release(&c);
    return STATUS_OK;
}

const struct partition_ops sorted_partition = {
    .entry = {.name = "sorted",
              .summary = "sorted by label and cut into pieces of equal size, within one sample"},
    .needs_labels = true,
    .assign = sorted_assign,
};
