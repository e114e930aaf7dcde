/*
 * snapshots.h - snapshots.bin of a run directory: the weights along a run
 * (docs/reference/formats.md).
 *
 * A file of checksummed records (record_log.h). Values are in canonical order, so no reader needs
 * to know how a program stores them.
 */
#ifndef RECORD_SNAPSHOTS_H
#define RECORD_SNAPSHOTS_H

#include "kernel/tensor.h"
#include "record/record_log.h"

/* When a snapshot was taken. */
struct snapshot_time {
    int64_t round;
    double epoch, samples, seconds;
};

/* Bytes of a record with so many values. */
int64_t snapshot_record_bytes(int64_t state_count);

/* --- writing --- */

struct snapshot_log {
    struct record_log log;
    const struct tensor_layout *layout; /* borrowed */
};

/* keep_round as with recorder_open: records of later rounds, or damaged ones and all after
 * them, are removed. A file of another network is an error. */
enum status snapshot_log_open(struct snapshot_log *l, const char *run_dir,
                              const struct tensor_layout *layout, int64_t keep_round);

/* state[state_count] in stored order. */
enum status snapshot_log_add(struct snapshot_log *l, const struct snapshot_time *time,
                             const float *state);
void snapshot_log_close(struct snapshot_log *l); /* also of one that was never opened */

/* --- reading --- */

struct snapshot_file {
    struct record_reader records;
    int64_t param_count, state_count;
    uint32_t tensors; /* a checksum of the names, sizes and order of all tensors */
    int64_t count;    /* complete records */
};

/* Whether the run has the file. */
bool snapshot_file_exists(const char *run_dir);

/* An error if the file is missing or its header is damaged. */
enum status snapshot_file_open(struct snapshot_file *f, const char *run_dir);
void snapshot_file_release(struct snapshot_file *f);

/* Record i: values[state_count] in canonical order. A wrong checksum is an error that names it. */
enum status snapshot_file_read(const struct snapshot_file *f, int64_t i, struct snapshot_time *time,
                               float *values);

/* --- snapshots_npy.c --- */

/* All of them as a float32 array [count][state_count]. */
enum status snapshot_file_write_npy(const struct snapshot_file *f, const char *path);

#endif
