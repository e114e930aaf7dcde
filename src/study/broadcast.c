/*
 * broadcast.c - sends the first process's decision to all, over the transport that the runs will
 * use.
 */
#include "study/broadcast.h"

#include "base/log.h"
#include "base/mem.h"
#include "comm/control_kinds.h"
#include "comm/world.h"
#include "study/study.h"

enum { ROOM = STUDY_RUNS_MAX + 8192 };

struct broadcast {
    broadcast_decide *decide;
    void *context;
    struct text *decision;
    const struct world *world;
};

static enum status receive_decision(struct broadcast *s, struct transport *t)
{
    const int from = world_first_endpoint(s->world, 0);
    char *buffer = MEM_NEW_N(char, ROOM);
    struct envelope e;
    const enum status status = transport_recv(t, from, CONTROL_DECISION, &e, buffer, ROOM - 1);

    if (status == STATUS_OK)
        text_add(s->decision, buffer);
    mem_free(buffer);
    return status;
}

static enum status broadcast_body(void *context, struct transport *t)
{
    struct broadcast *s = context;

    if (t->rank != world_first_endpoint(s->world, s->world->process))
        return STATUS_OK; /* another endpoint of the process receives it */
    if (s->world->process != 0)
        return receive_decision(s, t);
    TRY(s->decide(s->context, s->decision));
    if (s->decision->length + 1 >= ROOM)
        return FAIL(STATUS_BAD_INPUT, "the name of the output folder is too long");
    for (int p = 1; p < s->world->processes; p++)
        TRY(transport_send(t, world_first_endpoint(s->world, p), CONTROL_DECISION,
                           text_get(s->decision), s->decision->length + 1));
    return STATUS_OK;
}

/* The message must be out before a launcher sees one of the processes end. */
static enum status print_failure(enum status s)
{
    if (s == STATUS_OK)
        return s;
    if (status_message()[0] != '\0')
        log_say(LOG_ERROR, "%s", status_message());
    return FAIL(s, "%s", "");
}

enum status broadcast_decision(broadcast_decide *decide, void *context, struct text *decision)
{
    struct broadcast s = {.decide = decide, .context = context, .decision = decision};
    struct world *world = NULL;

    if (!world_is_launched())
        return decide(context, decision);
    TRY(world_open(&(struct world_request){0}, &world));
    s.world = world;
    const enum status status = print_failure(world_run(world, broadcast_body, &s));
    world_close(world);
    return status;
}
