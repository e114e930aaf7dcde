/*
 * worker_models.h - the models of single workers of a run, which its last checkpoint has.
 * model.safetensors has their mean only.
 */
#ifndef TRAIN_WORKER_MODELS_H
#define TRAIN_WORKER_MODELS_H

#include "train/build.h"

/* The file that has them, of a run whose workers have models of their own; mem_free. */
enum status worker_models_find(const struct build *b, const char *run_dir, char **checkpoint);

/* state[state_count] of worker `rank`, in stored order. */
enum status worker_models_load(const struct build *b, const char *checkpoint, int rank,
                               float *state);

/* An error of a run whose workers all have the same model. */
enum status worker_models_fail_same(const struct build *b, const char *run_dir);

#endif
