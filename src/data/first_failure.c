/*
 * first_failure.c - see first_failure.h.
 */
#include "data/first_failure.h"

#include "base/mem.h"

void first_failure_init(struct first_failure *f)
{
    *f = (struct first_failure){.status = STATUS_OK};
    pthread_mutex_init(&f->mutex, NULL);
}

void first_failure_release(struct first_failure *f)
{
    mem_free(f->message);
    pthread_mutex_destroy(&f->mutex);
}

void first_failure_note(struct first_failure *f, int64_t index, enum status status)
{
    pthread_mutex_lock(&f->mutex);
    if (f->status == STATUS_OK || index < f->index) {
        mem_free(f->message);
        f->status = status;
        f->index = index;
        f->message = mem_text(status_message());
    }
    pthread_mutex_unlock(&f->mutex);
}

void first_failure_reset(struct first_failure *f)
{
    pthread_mutex_lock(&f->mutex);
    mem_free(f->message);
    f->message = NULL;
    f->status = STATUS_OK;
    pthread_mutex_unlock(&f->mutex);
}

enum status first_failure_raise(struct first_failure *f)
{
    pthread_mutex_lock(&f->mutex);
    const enum status s = f->status == STATUS_OK ? f->status : FAIL(f->status, "%s", f->message);
    pthread_mutex_unlock(&f->mutex);
    return s;
}
