/*
 * cifar.h - the binary layout of CIFAR-10 and CIFAR-100: records of label bytes and three planes.
 */
#ifndef DATA_CIFAR_H
#define DATA_CIFAR_H

#include <stddef.h>

#include "data/dataset.h"

enum { CIFAR_SIDE = 32, CIFAR_PIXELS = CIFAR_SIDE * CIFAR_SIDE, CIFAR_LABELS_MAX = 2 };

/* The bytes before a record's pixels, each with the number of values that it may take. */
struct cifar_layout {
    int64_t label_bytes;
    int64_t limits[CIFAR_LABELS_MAX]; /* the last of them is the label: (coarse,) fine */
};

extern const struct cifar_layout cifar10_layout, cifar100_layout;

/* A file in memory; `name` is what messages call it. */
struct cifar_file {
    const char *name;
    const uint8_t *data;
    size_t length;
};

/*
 * Adds a file's records to `part`, planes turned channel-last. The number of records is that of the
 * file's length, which must be a multiple of the record's. On failure `part` is as it was.
 */
enum status cifar_append(const struct cifar_layout *layout, const struct cifar_file *file,
                         struct samples *part);

#endif
