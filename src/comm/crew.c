/*
 * crew.c - one thread per endpoint, and what happens when its body fails.
 */
#include "comm/crew.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/mem.h"

struct member {
    struct transport *transport; /* borrowed */
    world_body *body;
    void *context;
    pthread_t id;
};

/* The endpoint has a slot of its own: the caller's message stays as it was. */
static void member_work(const struct member *m)
{
    struct status_slot own = {0};
    struct status_slot *previous = status_slot_use(&own);

    log_set_worker(m->transport->rank);

    const enum status s = m->body(m->context, m->transport);

    if (s != STATUS_OK)
        transport_abort(m->transport, s, own.text);
    status_slot_use(previous);
}

static void *member_main(void *argument)
{
    member_work(argument);
    return NULL;
}

static int start_all(struct member *members, int count)
{
    for (int i = 1; i < count; i++) {
        const int error = pthread_create(&members[i].id, NULL, member_main, &members[i]);
        char text[160];

        if (error == 0)
            continue;
        snprintf(text, sizeof text,
                 "only %d of %d threads could be started (%s); use fewer workers", i, count,
                 strerror(error));
        transport_abort(members[i].transport, STATUS_BAD_INPUT, text);
        return i;
    }
    return count;
}

void crew_run(struct transport *const *endpoints, int count, world_body *body, void *context)
{
    CHECK(count >= 1 && body != NULL);

    struct member *members = MEM_NEW_N(struct member, count);

    for (int i = 0; i < count; i++)
        members[i] = (struct member){.transport = endpoints[i], .body = body, .context = context};

    const int started = start_all(members, count);

    if (started == count)
        member_work(&members[0]);
    for (int i = 1; i < started; i++)
        pthread_join(members[i].id, NULL);
    mem_free(members);
}
