/*
 * endpoint_threads.c - one thread per endpoint, and what happens when its body fails.
 */
#include "comm/endpoint_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"

struct endpoint_thread {
    struct transport *transport; /* borrowed */
    world_body *body;
    void *context;
    pthread_t id;
};

/* The endpoint has a slot of its own: the caller's message stays as it was. */
static void run_body(const struct endpoint_thread *thread)
{
    struct status_slot own = {0};
    struct status_slot *previous = status_slot_use(&own);

    log_set_worker(thread->transport->rank);

    const enum status s = thread->body(thread->context, thread->transport);

    if (s != STATUS_OK)
        transport_abort(thread->transport, s, own.text);
    status_slot_use(previous);
}

static void *thread_main(void *argument)
{
    run_body(argument);
    return NULL;
}

static int start_all(struct endpoint_thread *threads, int count)
{
    for (int i = 1; i < count; i++) {
        const int error = pthread_create(&threads[i].id, NULL, thread_main, &threads[i]);
        char text[160];

        if (error == 0)
            continue;
        snprintf(text, sizeof text,
                 "only %d of %d threads could be started (%s); use fewer workers", i, count,
                 strerror(error));
        transport_abort(threads[i].transport, STATUS_BAD_INPUT, text);
        return i;
    }
    return count;
}

void endpoint_threads_run(struct transport *const *endpoints, int count, world_body *body,
                          void *context)
{
    CHECK(count >= 1 && body != NULL);

    struct endpoint_thread *threads = MEM_NEW_N(struct endpoint_thread, count);

    for (int i = 0; i < count; i++)
        threads[i] =
            (struct endpoint_thread){.transport = endpoints[i], .body = body, .context = context};

    const int started = start_all(threads, count);

    if (started == count)
        run_body(&threads[0]);
    for (int i = 1; i < started; i++)
        pthread_join(threads[i].id, NULL);
    mem_free(threads);
}
