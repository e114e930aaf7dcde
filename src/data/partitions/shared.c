/*
 * shared.c - every worker has the whole set, and visits it in an order of its own (S000's default).
 *
 * An epoch is then as many passes over the set as there are workers.
 */
#include "data/partition_list.h"

const struct partition_ops shared_partition = {
    .entry = {.name = "shared", .summary = "every worker has all samples, each in its own order"},
    .own_order = true,
};
