/*
 * trace_write.c - traces as a file in Chrome's JSON: an event per span, with its begin and length
 * in microseconds.
 *
 * Events of one thread must lie beside or inside one another. A computation may go on over the end
 * of a round, so the transport's spans are cut where one of the loop's begins or ends; and all
 * times are whole nanoseconds, so that rounding leaves them inside one another.
 */
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "comm/trace.h"
#include "comm/trace_spans.h"

enum { PROCESS = 1 };

/* A span in nanoseconds. */
struct event {
    int64_t start, end;
    enum trace_what what;
};

/* The events of one endpoint. */
struct track {
    struct event *events; /* [count] */
    int64_t count, capacity;
    int64_t *cuts; /* [cut_count], rising: where the loop's spans begin and end */
    int64_t cut_count;
};

/* The file, and the endpoint whose events are being written. */
struct sheet {
    struct file_writer file;
    struct text text;
    struct json json;
    int endpoint, workers, endpoints;
    enum status status; /* of the file; nothing is written after a failure */
};

static int64_t nanoseconds(double seconds)
{
    return (int64_t)llround(seconds * 1e9);
}

/* --- the events of an endpoint --- */

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* What contains comes before what is contained. */
static int compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return (int)y->what - (int)x->what;
}

static void track_add(struct track *k, struct event e)
{
    if (k->count == k->capacity) {
        const int64_t capacity = 2 * k->capacity + 256;

        k->events = mem_resize(k->events, k->capacity, capacity, sizeof *k->events);
        k->capacity = capacity;
    }
    k->events[k->count++] = e;
}

static void find_cuts(struct track *k, const struct trace *r)
{
    k->cuts = MEM_NEW_N(int64_t, 2 * r->kept);
    for (int64_t i = 0; i < r->kept; i++) {
        const struct span *s = trace_at(r, i);

        if (!span_is_loops(s))
            continue;
        k->cuts[k->cut_count++] = nanoseconds(s->start);
        k->cuts[k->cut_count++] = nanoseconds(s->end);
    }
    qsort(k->cuts, (size_t)k->cut_count, sizeof *k->cuts, compare_numbers);
}

/* The first cut after a moment. */
static int64_t cut_after(const struct track *k, int64_t moment)
{
    int64_t low = 0, high = k->cut_count;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (k->cuts[middle] <= moment)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_in_pieces(struct track *k, struct event e)
{
    for (int64_t c = cut_after(k, e.start); c < k->cut_count && k->cuts[c] < e.end; c++) {
        if (k->cuts[c] > e.start)
            track_add(k, (struct event){e.start, k->cuts[c], e.what});
        e.start = k->cuts[c];
    }
    track_add(k, e);
}

static void track_fill(struct track *k, const struct trace *r)
{
    find_cuts(k, r);
    for (int64_t i = 0; i < r->kept; i++) {
        const struct span *s = trace_at(r, i);
        const struct event e = {nanoseconds(s->start), nanoseconds(s->end),
                                (enum trace_what)s->what};

        if (span_is_loops(s))
            track_add(k, e);
        else if (!span_is_number(s))
            add_in_pieces(k, e);
    }
    if (k->count > 1)
        qsort(k->events, (size_t)k->count, sizeof *k->events, compare_events);
}

static void track_release(struct track *k)
{
    mem_free(k->events);
    mem_free(k->cuts);
    *k = (struct track){0};
}

/* --- writing --- */

static void flush(struct sheet *s)
{
    if (s->status == STATUS_OK)
        s->status = file_writer_put(&s->file, text_get(&s->text), s->text.length);
    text_clear(&s->text);
}

/* To be freed by mem_free. */
static char *name_of(const struct sheet *s, int endpoint)
{
    if (endpoint < s->workers)
        return text_format("worker %d", endpoint);
    if (s->endpoints > s->workers + 1)
        return text_format("responder %d", endpoint - s->workers);
    return mem_text("server");
}

/* What every event has; end_event closes it. */
static void begin_event(struct sheet *s, const char *name, const char *phase)
{
    json_open_map(&s->json, NULL);
    json_text(&s->json, "name", name);
    json_text(&s->json, "ph", phase);
    json_int(&s->json, "pid", PROCESS);
    json_int(&s->json, "tid", s->endpoint);
}

static void end_event(struct sheet *s)
{
    json_close_map(&s->json);
    text_add(&s->text, "\n");
    flush(s);
}

/* In microseconds. */
static void put_time(struct sheet *s, const char *key, int64_t time)
{
    json_number(&s->json, key, (double)time / 1e3);
}

static void put_name(struct sheet *s, const char *what, const char *name)
{
    begin_event(s, what, "M");
    json_open_map(&s->json, "args");
    json_text(&s->json, "name", name);
    json_close_map(&s->json);
    end_event(s);
}

static void put_order(struct sheet *s)
{
    begin_event(s, "thread_sort_index", "M");
    json_open_map(&s->json, "args");
    json_int(&s->json, "sort_index", s->endpoint);
    json_close_map(&s->json);
    end_event(s);
}

static void put_event(struct sheet *s, const struct event *e)
{
    begin_event(s, trace_name(e->what), "X");
    json_text(&s->json, "cat", e->what < TRACE_ROUND ? "transport" : "loop");
    put_time(s, "ts", e->start);
    put_time(s, "dur", e->end - e->start);
    end_event(s);
}

/* A counter belongs to the process; its name tells whose it is. */
static void put_number(struct sheet *s, const struct span *x)
{
    const char *what = trace_name((enum trace_what)x->what);
    char *owner = name_of(s, x->of);
    char *name = text_format("%s: %s", owner, what);

    begin_event(s, name, "C");
    put_time(s, "ts", nanoseconds(x->start));
    json_open_map(&s->json, "args");
    json_number(&s->json, what, x->end);
    json_close_map(&s->json);
    end_event(s);
    mem_free(name);
    mem_free(owner);
}

/* Where spans are missing: after the last of the first ones, until the first of the latest. */
static void put_gap(struct sheet *s, const struct trace *r)
{
    double from = -(double)INFINITY, until = (double)INFINITY;

    if (r->dropped == 0)
        return;
    for (int64_t i = 0; i < r->kept; i++) {
        const struct span *x = trace_at(r, i);

        if (i >= r->first)
            until = fmin(until, x->start);
        else if (!span_is_number(x))
            from = fmax(from, x->end);
    }
    if (!(from < until) || !isfinite(from) || !isfinite(until))
        return;
    begin_event(s, "left out", "X");
    json_text(&s->json, "cat", "gap");
    put_time(s, "ts", nanoseconds(from));
    put_time(s, "dur", nanoseconds(until) - nanoseconds(from));
    json_open_map(&s->json, "args");
    json_int(&s->json, "spans", r->dropped);
    json_close_map(&s->json);
    end_event(s);
}

static void put_trace(struct sheet *s, const struct trace *r)
{
    struct track track = {0};
    char *name = name_of(s, s->endpoint);

    put_name(s, "thread_name", name);
    put_order(s);
    mem_free(name);
    track_fill(&track, r);
    for (int64_t i = 0; i < track.count; i++)
        put_event(s, &track.events[i]);
    for (int64_t i = 0; i < r->kept; i++)
        if (span_is_number(trace_at(r, i)))
            put_number(s, trace_at(r, i));
    put_gap(s, r);
    track_release(&track);
}

/* How many spans are missing, for who reads the file by program. */
static void put_left_out(struct sheet *s, const struct trace *const *traces, int count)
{
    json_open_map(&s->json, "otherData");
    json_open_map(&s->json, "spans left out");
    for (int e = 0; e < count; e++) {
        char *name = name_of(s, e);

        if (traces[e] != NULL)
            json_int(&s->json, name, traces[e]->dropped);
        mem_free(name);
    }
    json_close_map(&s->json);
    json_close_map(&s->json);
}

static void put_all(struct sheet *s, const struct trace *const *traces, int count)
{
    json_init(&s->json, &s->text);
    json_open_map(&s->json, NULL);
    json_text(&s->json, "displayTimeUnit", "ms");
    put_left_out(s, traces, count);
    json_open_list(&s->json, "traceEvents");
    text_add(&s->text, "\n");
    put_name(s, "process_name", "muster");
    for (s->endpoint = 0; s->endpoint < count; s->endpoint++)
        if (traces[s->endpoint] != NULL)
            put_trace(s, traces[s->endpoint]);
    json_close_list(&s->json);
    json_close_map(&s->json);
    text_add(&s->text, "\n");
    flush(s);
}

enum status trace_write(const char *path, const struct trace *const *traces, int count, int workers)
{
    struct sheet s = {.workers = workers, .endpoints = count};

    CHECK(count >= 0 && workers >= 1 && (count <= workers + 1 || count == 2 * workers));
    TRY(file_writer_open(&s.file, path));
    put_all(&s, traces, count);
    text_release(&s.text);
    return file_writer_close(&s.file, s.status);
}
