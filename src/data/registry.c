/*
 * registry.c - look-up in the list of data sets (list.h).
 */
#include "data/list.h"

#define DATASET_ENTRY(symbol) &symbol.entry,
static const struct entry *const entries[] = {DATASET_LIST(DATASET_ENTRY) NULL};

const struct registry dataset_registry = {
    .what = "data set",
    .section = "data",
    .entries = entries,
};
