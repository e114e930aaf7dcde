/*
 * trace.c - keeping the spans of an endpoint, and moving them between processes.
 *
 * Not here: the file (trace_write.c).
 */
#include "comm/trace.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "comm/trace_spans.h"

const char *trace_name(enum trace_what what)
{
    static const char *const names[TRACE_WHATS] = {
        [TRACE_COMPUTE] = "compute",
        [TRACE_WAIT] = "wait",
        [TRACE_SEND] = "send",
        [TRACE_RECEIVE] = "receive",
        [TRACE_SUM] = "sum",
        [TRACE_CONTROL] = "control",
        [TRACE_SLEEP] = "sleep",
        [TRACE_ROUND] = "round",
        [TRACE_EVALUATE] = "evaluate",
        [TRACE_CHECKPOINT] = "checkpoint",
        [TRACE_STALENESS] = "staleness",
    };

    CHECK(what < TRACE_WHATS);
    return names[what];
}

struct trace *trace_new(int64_t spans)
{
    struct trace *r = MEM_NEW(struct trace);

    CHECK(spans == 0 || spans >= TRACE_SPANS_MIN);
    r->limit = spans == 0 ? TRACE_SPANS : spans;
    r->first = r->limit / 2;
    return r;
}

void trace_free(struct trace *r)
{
    if (r == NULL)
        return;
    mem_free(r->spans);
    mem_free(r);
}

int64_t trace_kept(const struct trace *r)
{
    return r->kept;
}

int64_t trace_dropped(const struct trace *r)
{
    return r->dropped;
}

const struct span *trace_at(const struct trace *r, int64_t i)
{
    CHECK(i >= 0 && i < r->kept);
    if (i < r->first)
        return &r->spans[i];

    const int64_t ring = r->kept - r->first;

    return &r->spans[r->first + (i - r->first + r->next) % ring];
}

/* --- adding --- */

static void grow(struct trace *r)
{
    const int64_t wanted = r->capacity == 0 ? 256 : 2 * r->capacity;
    const int64_t capacity = wanted < r->limit ? wanted : r->limit;

    r->spans = mem_resize(r->spans, r->capacity, capacity, sizeof *r->spans);
    r->capacity = capacity;
}

static void add(struct trace *r, struct span s)
{
    if (r->kept == r->limit) {
        r->spans[r->first + r->next] = s;
        r->next = (r->next + 1) % (r->limit - r->first);
        r->dropped++;
        return;
    }
    if (r->kept == r->capacity)
        grow(r);
    r->spans[r->kept++] = s;
}

static void add_span(struct trace *r, enum trace_what what, double start, double end)
{
    if (end - start >= TRACE_SHORTEST_S)
        add(r, (struct span){start, end, (int32_t)what, 0});
}

void trace_attach(struct transport *t, struct trace *r)
{
    t->trace = r;
    if (r != NULL)
        r->computing_since = transport_now(t);
}

void trace_span(struct transport *t, enum trace_what what, double start, double end)
{
    if (t->trace == NULL)
        return;
    CHECK(what >= TRACE_ROUND && what < TRACE_STALENESS && start <= end);
    add_span(t->trace, what, start, end);
}

void trace_count(struct transport *t, enum trace_what what, int of, double value)
{
    if (t->trace == NULL)
        return;
    CHECK(what >= TRACE_STALENESS && what < TRACE_WHATS && of >= 0 && of < t->size);
    add(t->trace, (struct span){transport_now(t), value, (int32_t)what, of});
}

void trace_computed(struct trace *r, double end)
{
    add_span(r, TRACE_COMPUTE, r->computing_since, end);
}

/*
 * The waiting of a call is drawn as one piece. It comes first, because what is waited for must be
 * there before it is moved; a sleeper waits afterwards, for its slot.
 */
void trace_call(struct transport *t, const struct trace_call *c)
{
    struct trace *r = t->trace;
    const double waited = fmin(fmax(c->waited, 0.0), c->end - c->start);

    if (c->end - c->start < TRACE_SHORTEST_S && t->is_computing)
        return;
    if (t->is_computing)
        trace_computed(r, c->start);
    if (c->what == TRACE_SLEEP) {
        add_span(r, TRACE_SLEEP, c->start, c->end - waited);
        add_span(r, TRACE_WAIT, c->end - waited, c->end);
    } else {
        add_span(r, TRACE_WAIT, c->start, c->start + waited);
        add_span(r, c->what, c->start + waited, c->end);
    }
    r->computing_since = c->end;
}

/* --- packing --- */

struct pack_head {
    int64_t first, kept, dropped;
};

void *trace_pack(const struct trace *r, size_t *bytes)
{
    const struct pack_head head = {
        .first = r->first < r->kept ? r->first : r->kept,
        .kept = r->kept,
        .dropped = r->dropped,
    };

    *bytes = sizeof head + (size_t)r->kept * sizeof(struct span);

    unsigned char *data = mem_alloc((int64_t)*bytes, 1);

    memcpy(data, &head, sizeof head);
    for (int64_t i = 0; i < r->kept; i++)
        memcpy(data + sizeof head + (size_t)i * sizeof(struct span), trace_at(r, i),
               sizeof(struct span));
    return data;
}

static bool is_span(const struct span *s)
{
    if (s->what < 0 || s->what >= TRACE_WHATS || !isfinite(s->start) || !isfinite(s->end))
        return false;
    return span_is_number(s) ? s->of >= 0 : s->of == 0 && s->start <= s->end;
}

/* Whether the bytes are a trace. */
static bool read_spans(struct trace *r, const void *data, size_t bytes)
{
    struct pack_head head = {0};

    if (bytes < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);

    const size_t room = (bytes - sizeof head) / sizeof(struct span);

    if (head.kept < 0 || (size_t)head.kept != room ||
        bytes != sizeof head + room * sizeof(struct span) || head.first < 0 ||
        head.first > head.kept || head.dropped < 0)
        return false;
    *r = (struct trace){
        .limit = head.kept,
        .capacity = head.kept,
        .first = head.first,
        .kept = head.kept,
        .dropped = head.dropped,
        .spans = MEM_NEW_N(struct span, head.kept),
    };
    memcpy(r->spans, (const unsigned char *)data + sizeof head, bytes - sizeof head);
    for (int64_t i = 0; i < r->kept; i++)
        if (!is_span(&r->spans[i]))
            return false;
    return true;
}

enum status trace_unpack(const void *data, size_t bytes, struct trace **r)
{
    *r = MEM_NEW(struct trace);
    if (read_spans(*r, data, bytes))
        return STATUS_OK;
    trace_free(*r);
    *r = NULL;
    return FAIL(STATUS_PEER, "a message of %zu bytes should be a trace and is not", bytes);
}
