/*
 * share.c - one process decides, all know: over the same transport that the runs will use.
 */
#include "study/share.h"

#include "base/log.h"
#include "base/mem.h"
#include "comm/world.h"
#include "study/study.h"

enum { KIND = TRANSPORT_CONTROL + 2, ROOM = STUDY_CELLS_MAX + 8192 };

struct sharing {
    study_decide *decide;
    void *context;
    struct text *decision;
    int processes;
};

static enum status receive(struct sharing *s, struct transport *t)
{
    char *buffer = MEM_NEW_N(char, ROOM);
    struct envelope e;
    const enum status status = transport_recv(t, 0, KIND, &e, buffer, ROOM - 1);

    if (status == STATUS_OK)
        text_add(s->decision, buffer);
    mem_free(buffer);
    return status;
}

static enum status body(void *context, struct transport *t)
{
    struct sharing *s = context;

    if (t->rank != 0)
        return receive(s, t);
    TRY(s->decide(s->context, s->decision));
    if (s->decision->length + 1 >= ROOM)
        return FAIL(STATUS_BAD_INPUT, "the name of the output folder is too long");
    for (int p = 1; p < s->processes; p++)
        TRY(transport_send(t, p, KIND, text_get(s->decision), s->decision->length + 1));
    return STATUS_OK;
}

/* The message must be out before a launcher sees one of the processes end. */
static enum status tell(enum status s)
{
    if (s == STATUS_OK)
        return s;
    if (status_message()[0] != '\0')
        log_say(LOG_ERROR, "%s", status_message());
    return FAIL(s, "%s", "");
}

enum status study_share(study_decide *decide, void *context, struct text *decision)
{
    struct sharing s = {.decide = decide, .context = context, .decision = decision};
    struct world *world = NULL;

    if (!world_is_launched())
        return decide(context, decision);
    TRY(world_open(&(struct world_request){0}, &world));
    s.processes = world->processes;
    const enum status status = tell(world_run(world, body, &s));
    world_close(world);
    return status;
}
