/*
 * metric.c - the list of the loop's metrics as a table.
 */
#include "record/metric.h"

#define METRIC_ENTRY(constant, key, which) {.name = (key), .better = METRIC_##which},

const struct metric_entry metric_list[METRIC_COUNT] = {METRIC_LIST(METRIC_ENTRY)};
