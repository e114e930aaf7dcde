/*
 * folders.h - the folders of one run: <top>/ and <top>/<run>/, or one that is both.
 *
 * Of several processes the leading one makes and writes them. It holds a lock on the outer folder
 * until folders_release, so that no other process trains in it.
 */
#ifndef TRAIN_FOLDERS_H
#define TRAIN_FOLDERS_H

#include "base/lock.h"
#include "train/build.h"
#include "train/run.h"

struct folders {
    char *top, *run; /* the outer folder, and the run's in it */
    struct lock lock;
};

/* A new run: makes the folders and what describes the run in them. effective.yaml comes last: where
 * it is, all the others are. */
enum status folders_make(struct folders *f, const struct run_request *q, const struct build *b,
                         const char *transport);

/* An old run, whose folders are known: locks them, cleans them and continues their log. */
enum status folders_reopen(struct folders *f);

/* What was noted of the run's end is no longer so, and effective.yaml may have changed. */
enum status folders_go_on(const struct folders *f, const struct run_config *config);

void folders_release(struct folders *f);

#endif
