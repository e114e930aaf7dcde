/*
 * first_failure.h - of failures on several threads, the one that a single thread would have met
 * first. A message belongs to the thread that made it; this carries it to another.
 */
#ifndef DATA_FIRST_FAILURE_H
#define DATA_FIRST_FAILURE_H

#include <pthread.h>
#include <stdint.h>

#include "base/status.h"

struct first_failure {
    pthread_mutex_t mutex;
    enum status status;
    int64_t index; /* of the piece of work that failed */
    char *message;
};

void first_failure_init(struct first_failure *f);
void first_failure_release(struct first_failure *f);

/* Piece `index` failed on this thread, with the thread's last message. */
void first_failure_note(struct first_failure *f, int64_t index, enum status status);

/* Forgets what failed. */
void first_failure_reset(struct first_failure *f);

/* Fails on this thread as the first piece did; STATUS_OK: none has failed. */
enum status first_failure_raise(struct first_failure *f);

#endif
