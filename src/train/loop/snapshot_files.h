/*
 * snapshot_files.h - snapshots that a stopped run has not evaluated, for the resumed one:
 * checkpoints/snapshot-<round>-<node>.safetensors, the run model after the nodes of its round.
 */
#ifndef TRAIN_LOOP_SNAPSHOT_FILES_H
#define TRAIN_LOOP_SNAPSHOT_FILES_H

#include "record/rundir.h"
#include "train/loop/evaluation_queue.h"

/* The path that the snapshot has as a file; mem_free. */
char *snapshot_files_path(const char *run_dir, const struct snapshot_label *label);

enum status snapshot_files_save(const char *path, const struct tensor_layout *layout,
                                const struct snapshot_label *label, const float *state);

/* Into state[state_count]. */
enum status snapshot_files_load(const char *path, const struct tensor_layout *layout,
                                struct snapshot_label *label, float *state);

/* All of a run, in the order in which they were taken. Release it. */
void snapshot_files_list(const char *run_dir, struct rundir_names *paths);

#endif
