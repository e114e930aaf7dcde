/*
 * dealt_order.h - the order of the whole set in an epoch, of which every worker of a partition
 * takes its share: sorted once for all workers of a process.
 *
 * Workers are in one epoch, or in two that follow each other, so the last two orders are kept.
 * Those that are further apart get the right order too, but sort it again.
 */
#ifndef DATA_DEALT_ORDER_H
#define DATA_DEALT_ORDER_H

#include <stdint.h>

#include "data/file_order.h"

struct dealt_order;

/* Of samples[count], which are borrowed like the files; no files: one random order of all. */
struct dealt_order *dealt_order_new(const int64_t *samples, int64_t count,
                                    struct sample_files files);
void dealt_order_free(struct dealt_order *d); /* NULL is fine */

/* Positions first, first + step, ... of an order, and where they go. */
struct dealt_share {
    int64_t *items; /* [count] */
    int64_t count, first, step;
};

/* Of the order of this epoch in a run with this seed. Thread-safe. */
void dealt_order_take(struct dealt_order *d, uint64_t seed, int64_t epoch,
                      const struct dealt_share *share);

#endif
