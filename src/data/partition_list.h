/*
 * partition_list.h - the partitions, in the order that lists and help show them.
 * Adding one: its file under partitions/, its line here, its name in CMakeLists.txt.
 */
#ifndef DATA_PARTITION_LIST_H
#define DATA_PARTITION_LIST_H

#include "data/partition.h"

#define PARTITION_LIST(X)        \
    X(shared_partition)          \
    X(split_partition)           \
    X(labels_partition)          \
    X(labels_unscaled_partition) \
    X(hetero_partition)          \
    X(sorted_partition)          \
    X(strided_partition)         \
    X(dirichlet_partition)       \
    X(groups_partition)

#define PARTITION_DECLARE(symbol) extern const struct partition_ops symbol;
PARTITION_LIST(PARTITION_DECLARE)
#undef PARTITION_DECLARE

#endif
