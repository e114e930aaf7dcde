/*
 * failure.h - the first failure of a run: set once, asked often.
 */
#ifndef COMM_FAILURE_H
#define COMM_FAILURE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"

struct failure {
    pthread_mutex_t mutex;
    atomic_bool is_set;       /* sequentially consistent: threads/sums.c relies on it */
    struct status_slot first; /* written once, before is_set */
};

void failure_init(struct failure *f);
void failure_release(struct failure *f);

/* Whether this one is the first. */
bool failure_set(struct failure *f, enum status why, const char *text);
bool failure_is_set(const struct failure *f);

/* What a woken call answers: STATUS_PEER with the first failure's text. */
enum status failure_answer(const struct failure *f);

#endif
