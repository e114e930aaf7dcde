/*
 * loader.c - see loader.h. A list of batches, oldest first, guarded by a mutex; samples are claimed
 * one by one, and prepared without the mutex.
 */
#include "data/loader.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"

enum { PRIORITY = 10 }; /* as `nice` has it */

struct loader {
    const struct preparation *preparation;
    int threads;
    pthread_t *ids;

    pthread_mutex_t mutex; /* guards what follows, and the batches */
    pthread_cond_t work;   /* a batch was started, or it ends */
    pthread_cond_t done;   /* a batch is complete */
    struct loader_batch *first;
    bool ends;
};

/* --- batches --- */

static int64_t sample_bytes(const struct preparation *p)
{
    return p->height * p->width * p->dataset->channels;
}

void loader_batch_init(struct loader_batch *b, const struct preparation *p, int64_t capacity)
{
    *b = (struct loader_batch){
        .numbers = MEM_NEW_N(int64_t, capacity),
        .bytes = MEM_NEW_N(uint8_t, capacity * sample_bytes(p)),
    };
    first_failure_init(&b->failure);
}

void loader_batch_release(struct loader_batch *b)
{
    first_failure_release(&b->failure);
    mem_free(b->numbers);
    mem_free(b->bytes);
}

int64_t loader_batch_bytes(const struct preparation *p, int64_t capacity)
{
    return capacity * (sample_bytes(p) + (int64_t)sizeof(int64_t));
}

/* --- work; with the mutex, which is released while a sample is prepared --- */

static void remove_batch(struct loader *l, struct loader_batch *b)
{
    struct loader_batch **at = &l->first;

    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    b->is_waiting = false;
}

/* The next sample of the batch, of which one is left. */
static void prepare_one(struct loader *l, struct loader_batch *b, struct preparer *scratch)
{
    const int64_t i = b->claimed++;

    if (b->claimed == b->count && b->is_waiting)
        remove_batch(l, b);
    pthread_mutex_unlock(&l->mutex);
    const enum status s =
        preparation_read(l->preparation, &(struct sample_request){b->part, b->numbers[i], &b->view},
                         scratch, b->bytes + i * sample_bytes(l->preparation));
    if (s != STATUS_OK)
        first_failure_note(&b->failure, i, s);
    pthread_mutex_lock(&l->mutex);
    b->replaced += scratch->has_replaced;
    b->done++;
    if (b->done == b->count)
        pthread_cond_broadcast(&l->done);
}

/* All samples of a batch are requested from the disk before the first of them is read. */
static void ask_one(struct loader *l, struct loader_batch *b)
{
    const int64_t number = b->numbers[b->asked++];

    pthread_mutex_unlock(&l->mutex);
    if (b->part->source != NULL)
        sample_source_will_need(b->part->source, number);
    pthread_mutex_lock(&l->mutex);
}

static void *loader_thread(void *argument)
{
    struct loader *l = argument;
    struct preparer scratch = {0};

    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), PRIORITY);
    pthread_mutex_lock(&l->mutex);
    while (!l->ends) {
        struct loader_batch *b = l->first;

        if (b == NULL)
            pthread_cond_wait(&l->work, &l->mutex);
        else if (b->asked < b->count)
            ask_one(l, b);
        else
            prepare_one(l, b, &scratch);
    }
    pthread_mutex_unlock(&l->mutex);
    preparer_release(&scratch);
    return NULL;
}

/* --- what callers do --- */

void loader_start(struct loader *l, struct loader_batch *b)
{
    struct loader_batch **at = &l->first;

    CHECK(!b->is_waiting && b->done == b->claimed);
    first_failure_reset(&b->failure);
    pthread_mutex_lock(&l->mutex);
    b->asked = b->claimed = b->done = b->replaced = 0;
    b->next = NULL;
    if (l->threads > 0 && b->count > 0) {
        while (*at != NULL)
            at = &(*at)->next;
        *at = b;
        b->is_waiting = true;
        pthread_cond_broadcast(&l->work);
    }
    pthread_mutex_unlock(&l->mutex);
}

enum status loader_finish(struct loader *l, struct loader_batch *b)
{
    struct preparer scratch = {0};

    pthread_mutex_lock(&l->mutex);
    while (b->claimed < b->count)
        prepare_one(l, b, &scratch);
    while (b->done < b->count)
        pthread_cond_wait(&l->done, &l->mutex);
    pthread_mutex_unlock(&l->mutex);
    preparer_release(&scratch);
    return first_failure_raise(&b->failure);
}

void loader_cancel(struct loader *l, struct loader_batch *b)
{
    pthread_mutex_lock(&l->mutex);
    if (b->is_waiting)
        remove_batch(l, b);
    b->count = b->claimed;
    b->asked = b->count;
    while (b->done < b->count)
        pthread_cond_wait(&l->done, &l->mutex);
    pthread_mutex_unlock(&l->mutex);
}

/* --- life --- */

struct loader *loader_new(const struct preparation *p, int threads)
{
    struct loader *l = MEM_NEW(struct loader);

    CHECK(threads >= 0);
    l->preparation = p;
    l->ids = MEM_NEW_N(pthread_t, threads);
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->work, NULL);
    pthread_cond_init(&l->done, NULL);
    /* Where the system has no more threads there are fewer. */
    while (l->threads < threads && pthread_create(&l->ids[l->threads], NULL, loader_thread, l) == 0)
        l->threads++;
    return l;
}

void loader_free(struct loader *l)
{
    if (l == NULL)
        return;
    CHECK(l->first == NULL);
    pthread_mutex_lock(&l->mutex);
    l->ends = true;
    pthread_cond_broadcast(&l->work);
    pthread_mutex_unlock(&l->mutex);
    for (int i = 0; i < l->threads; i++)
        pthread_join(l->ids[i], NULL);
    pthread_cond_destroy(&l->work);
    pthread_cond_destroy(&l->done);
    pthread_mutex_destroy(&l->mutex);
    mem_free(l->ids);
    mem_free(l);
}
