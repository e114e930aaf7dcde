/*
 * summary.h - workers.json: what each worker of a run did, and where its time went.
 */
#ifndef TRAIN_SUMMARY_H
#define TRAIN_SUMMARY_H

#include "base/json.h"
#include "train/loop.h"

/* Into the run's folder. */
enum status summary_write(const struct loop_report *r, const char *run_dir);

/* The same as a list under `key`. */
void summary_json(const struct loop_report *r, struct json *j, const char *key);

#endif
