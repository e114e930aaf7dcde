/*
 * trace_gather.c - endpoints send their traces to the leader as control messages, after the last
 * round.
 */
#include "train/loop/trace_gather.h"

#include "base/file.h"
#include "base/mem.h"
#include "comm/control_kinds.h"

/* More than a full trace takes. */
static const size_t message_max = (size_t)TRACE_SPANS * 64;

struct trace *trace_gather_start(struct transport *t)
{
    struct trace *r = trace_new(0);

    trace_attach(t, r);
    return r;
}

static enum status send_own(struct transport *t, const struct trace *own, int lead)
{
    size_t bytes = 0;
    void *data = trace_pack(own, &bytes);
    const enum status s = transport_send(t, lead, CONTROL_TRACE, data, bytes);

    mem_free(data);
    return s;
}

static enum status receive(struct transport *t, int from, void *room, struct trace **r)
{
    struct envelope e;

    TRY(transport_recv(t, from, CONTROL_TRACE, &e, room, message_max));
    return trace_unpack(room, e.bytes, r);
}

static enum status receive_all(struct transport *t, struct trace **others)
{
    void *room = mem_alloc((int64_t)message_max, 1);
    enum status s = STATUS_OK;

    for (int e = 0; e < t->size && s == STATUS_OK; e++)
        if (e != t->rank)
            s = receive(t, e, room, &others[e]);
    mem_free(room);
    return s;
}

static enum status write_all(struct transport *t, const struct trace *own,
                             struct trace *const *others, const char *run_dir)
{
    const struct trace **traces = MEM_NEW_N(const struct trace *, t->size);
    char *path = file_join(run_dir, "trace.json");

    for (int e = 0; e < t->size; e++)
        traces[e] = e == t->rank ? own : others[e];
    const enum status s = trace_write(path, traces, t->size, t->workers);
    mem_free(path);
    mem_free(traces);
    return s;
}

enum status trace_gather_end(struct transport *t, const struct trace *own, int lead,
                             const char *run_dir)
{
    trace_attach(t, NULL);
    if (t->rank != lead)
        return send_own(t, own, lead);

    struct trace **others = MEM_NEW_N(struct trace *, t->size);
    enum status s = receive_all(t, others);
    if (s == STATUS_OK)
        s = write_all(t, own, others, run_dir);
    for (int e = 0; e < t->size; e++)
        trace_free(others[e]);
    mem_free(others);
    return s;
}
