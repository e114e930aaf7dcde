/*
 * confusion.h - confusion.json of a run directory: what the model of the run answers to the samples
 * of each class, as of the last evaluation.
 *
 *     {"round": 900, "part": "test", "classes": ["cat", "dog"], "matrix": [[41, 9], [6, 44]]}
 *
 * matrix[true class][answer]; record/class_report.h makes precision and recall of it.
 */
#ifndef RECORD_CONFUSION_H
#define RECORD_CONFUSION_H

#include "record/rundir.h"

/* Zeroed it is empty. Whoever writes one may borrow; what was read is owned (release). */
struct confusion {
    int64_t round;
    char part[16]; /* "test", or "validation" without a test set */
    int64_t classes;
    const char *const *class_names; /* [classes], or NULL */
    int64_t *matrix;                /* [classes][classes], true class first */
    struct rundir_names names;      /* what class_names points to, when it was read */
};

enum status confusion_write(const char *run_dir, const struct confusion *c);

/* A missing file is an error, too. After an error it is empty. */
enum status confusion_read(const char *run_dir, struct confusion *c);
void confusion_release(struct confusion *c);

#endif
