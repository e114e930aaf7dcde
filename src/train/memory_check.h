/*
 * memory_check.h - whether a run fits in memory, and what would fit.
 */
#ifndef TRAIN_MEMORY_CHECK_H
#define TRAIN_MEMORY_CHECK_H

#include "base/host_memory.h"
#include "train/build.h"

/* Needs what memory_estimate needs. The message names batches and micro-batches that fit. */
enum status memory_check(const struct build *b, const struct build_size *size,
                         const struct host_memory *have);

#endif
