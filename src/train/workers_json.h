/*
 * workers_json.h - what each worker of a run did, for workers.json and result.json.
 */
#ifndef TRAIN_WORKERS_JSON_H
#define TRAIN_WORKERS_JSON_H

#include "record/workers.h"
#include "train/loop/endpoint.h"

/* workers_release */
void workers_json_init(struct record_workers *workers, const struct run_report *r);

/* Into the run's folder. */
enum status workers_json_write(const struct run_report *r, const char *run_dir);

#endif
