/*
 * failure.c - the first failure of a run.
 */
#include "comm/failure.h"

#include <stdio.h>

#include "base/check.h"

void failure_init(struct failure *f)
{
    *f = (struct failure){0};
    pthread_mutex_init(&f->mutex, NULL);
}

void failure_release(struct failure *f)
{
    pthread_mutex_destroy(&f->mutex);
}

bool failure_set(struct failure *f, enum status why, const char *text)
{
    CHECK(why != STATUS_OK);
    pthread_mutex_lock(&f->mutex);

    const bool is_first = !atomic_load_explicit(&f->is_set, memory_order_relaxed);

    if (is_first) {
        f->first.status = why;
        snprintf(f->first.text, sizeof f->first.text, "%s", text);
        atomic_store(&f->is_set, true);
    }
    pthread_mutex_unlock(&f->mutex);
    return is_first;
}

bool failure_is_set(const struct failure *f)
{
    return atomic_load(&f->is_set);
}

enum status failure_answer(const struct failure *f)
{
    CHECK(failure_is_set(f));
    return FAIL(STATUS_PEER, "%s", f->first.text);
}
