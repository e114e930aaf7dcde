/*
 * partition_counts.h - partition.json of a run directory: how many samples of each class every
 * worker has.
 *
 *     {"workers": 2, "classes": 3, "class_names": ["a", "b", "c"], "samples": [5, 7],
 *      "counts": [[5, 0, 0], [1, 2, 4]]}
 *
 * Not here: which samples these are (partition.txt, data/partition.h).
 */
#ifndef RECORD_PARTITION_COUNTS_H
#define RECORD_PARTITION_COUNTS_H

#include "record/rundir.h"

/* Zeroed it is empty. Whoever writes one may borrow; what was read is owned (release). */
struct partition_counts {
    int64_t workers;
    int64_t classes;                /* 0: the data set has none */
    const char *const *class_names; /* [classes], or NULL */
    int64_t *samples;               /* [workers] */
    int64_t *counts;                /* [workers][classes]; NULL without classes */
    struct rundir_names names;      /* what class_names points to, when it was read */
};

enum status partition_counts_write(const char *run_dir, const struct partition_counts *p);

/* A missing file is an error, too. After an error it is empty. */
enum status partition_counts_read(const char *run_dir, struct partition_counts *p);
void partition_counts_release(struct partition_counts *p);

#endif
