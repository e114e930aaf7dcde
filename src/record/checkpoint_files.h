/*
 * checkpoint_files.h - the checkpoints of a run that it can be resumed from.
 *
 *     checkpoints/round-<n>.safetensors    the newest ones, as many as train.keep says
 *     checkpoints/last.safetensors         a link to the newest
 *
 * Runs of earlier programs have last.safetensors as a file. Where a file system has no links, the
 * one of the highest round is the newest.
 */
#ifndef RECORD_CHECKPOINT_FILES_H
#define RECORD_CHECKPOINT_FILES_H

#include "record/rundir.h"

/* The file of a round; mem_free. */
char *checkpoint_files_path(const char *run_dir, int64_t round);

/* The paths of all, the newest first. A run without any has an empty list. Release it. */
void checkpoint_files_list(const char *run_dir, struct rundir_names *paths);

/* `last` points to the file of this round, which is complete. */
enum status checkpoint_files_publish(const char *run_dir, int64_t round);

/* Removes all but that of this round and the newest before it, `keep` together. */
enum status checkpoint_files_prune(const char *run_dir, int64_t round, int64_t keep);

/* Removes that of this round; `last` then points to the newest of the others. */
enum status checkpoint_files_discard(const char *run_dir, int64_t round);

#endif
