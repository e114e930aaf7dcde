/*
 * checkpoint_ranges.h - whether the numbers of a checkpoint can be those of a run. A file with
 * right checksums may still have been written by another program, or edited. Private to
 * checkpoint.c.
 */
#ifndef TRAIN_CHECKPOINT_RANGES_H
#define TRAIN_CHECKPOINT_RANGES_H

#include "train/checkpoint.h"

enum status ranges_check_totals(const struct run_totals *t, const char *path);

/* What a server knows of a worker. */
enum status ranges_check_client(const struct client *c, const char *path);

/* What log rows have of the workers. */
enum status ranges_check_logged(const struct logged_sums *logged, int workers, const char *path);

/* The parameters of a worker or server. */
enum status ranges_check_weights(const struct worker_memory *a, const char *path);

/* What was read into a worker or server, and its counters. */
enum status ranges_check_memory(const struct worker_memory *a, const struct counters *counters,
                                const char *path);

#endif
