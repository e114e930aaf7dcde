/*
 * partial_losses.h - landscape.partial: the losses of a landscape that is being measured, so that
 * a later call can continue (docs/reference/formats.md).
 *
 * A file of checksummed records (record_log.h), one per point, with the key of what is measured in
 * its header. It is removed when the landscape is complete.
 */
#ifndef RECORD_PARTIAL_LOSSES_H
#define RECORD_PARTIAL_LOSSES_H

#include <stdatomic.h>

#include "record/record_log.h"

struct partial_losses {
    struct record_log log;
    int64_t count;         /* points of the landscape */
    int64_t known_count;   /* those that an earlier call measured */
    bool *is_known;        /* [count] */
    double *losses;        /* [count] */
    atomic_bool is_failed; /* a write failed: no more are added */
};

/* Reads what the file has of the same key and count, up to the first damaged record. Another file
 * is replaced. */
enum status partial_losses_open(struct partial_losses *p, const char *folder, const char *key,
                                int64_t count);
void partial_losses_close(struct partial_losses *p); /* also of one that was never opened */

/* Threads may call it at once. That it cannot be written is a warning: the loss itself is known. */
void partial_losses_add(struct partial_losses *p, int64_t point, double loss);

enum status partial_losses_remove(const char *folder);

#endif
