/*
 * trace_file.c - reads trace.json line by line: as one tree of JSON, a long trace would need
 * gigabytes.
 */
#include "record/trace_file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/json_read.h"

enum { LINE_MAX_BYTES = 1024 }; /* longer ones, such as the first, are not events */

#define TRACE_FILE_NAME(constant, name) (name),
static const char *const names[TRACE_FILE_WHATS] = {TRACE_FILE_LIST(TRACE_FILE_NAME)};

void trace_file_release(struct trace_file *t)
{
    for (int64_t i = 0; i < t->count; i++) {
        mem_free(t->tracks[i].name);
        mem_free(t->tracks[i].spans);
    }
    mem_free(t->tracks);
    *t = (struct trace_file){0};
}

/* TRACE_FILE_WHATS: nothing that is read. */
static enum trace_file_what what_of(const char *name)
{
    int what = 0;

    while (what < TRACE_FILE_WHATS && (name == NULL || strcmp(name, names[what]) != 0))
        what++;
    return (enum trace_file_what)what;
}

/* NULL: not a number that an endpoint has. */
static struct trace_track *track_of(struct trace_file *t, const json_t *event)
{
    const int64_t endpoint = json_read_int(event, "tid", -1);

    if (endpoint < 0 || endpoint >= TRACE_FILE_TRACKS_MAX)
        return NULL;
    while (t->count <= endpoint) {
        t->tracks = mem_grow(t->tracks, t->count + 1, sizeof *t->tracks);
        t->tracks[t->count++] = (struct trace_track){0};
    }
    return &t->tracks[endpoint];
}

static void add_span(struct trace_file *t, const json_t *event)
{
    const enum trace_file_what what = what_of(json_string_value(json_object_get(event, "name")));
    const double start = json_read_number(event, "ts") / 1e6;
    const double end = start + json_read_number(event, "dur") / 1e6;
    struct trace_track *track = NULL;

    if (what == TRACE_FILE_WHATS || !isfinite(start) || !isfinite(end) || end < start)
        return;
    track = track_of(t, event);
    if (track == NULL)
        return;
    track->spans = mem_grow(track->spans, track->count + 1, sizeof *track->spans);
    track->spans[track->count++] = (struct trace_span_read){start, end, what};
}

static void read_event(struct trace_file *t, const json_t *event)
{
    const char *phase = json_string_value(json_object_get(event, "ph"));
    const char *name = json_string_value(json_object_get(event, "name"));

    if (phase == NULL || name == NULL)
        return;
    if (strcmp(phase, "X") == 0) {
        add_span(t, event);
    } else if (strcmp(phase, "M") == 0 && strcmp(name, "thread_name") == 0) {
        struct trace_track *track = track_of(t, event);

        if (track != NULL && track->name == NULL)
            track->name = json_read_text(json_object_get(event, "args"), "name");
    }
}

static void read_line(struct trace_file *t, const char *line, size_t length)
{
    const char *begin = memchr(line, '{', length);
    json_t *event = NULL;

    if (begin != NULL)
        event = json_loadb(begin, length - (size_t)(begin - line), JSON_DISABLE_EOF_CHECK, NULL);
    if (json_is_object(event))
        read_event(t, event);
    json_decref(event);
}

/* Tracks without spans go; then the ends of all are known. */
static void finish(struct trace_file *t)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < t->count; i++) {
        const struct trace_track track = t->tracks[i];

        if (track.count == 0) {
            mem_free(track.name);
            continue;
        }
        for (int64_t k = 0; k < track.count; k++) {
            const struct trace_span_read *s = &track.spans[k];

            t->start = kept == 0 && k == 0 ? s->start : fmin(t->start, s->start);
            t->end = kept == 0 && k == 0 ? s->end : fmax(t->end, s->end);
        }
        t->tracks[kept] = track;
        if (track.name == NULL)
            t->tracks[kept].name = mem_text("");
        kept++;
    }
    t->count = kept;
}

enum status trace_file_read(const char *run_dir, struct trace_file *t)
{
    char *path = file_join(run_dir, "trace.json");
    FILE *file = fopen(path, "r");
    char line[LINE_MAX_BYTES];
    enum status s = STATUS_OK;

    *t = (struct trace_file){0};
    if (file == NULL) {
        s = FAIL(STATUS_IO, "%s: cannot open the file: %s", path, strerror(errno));
    } else {
        while (fgets(line, sizeof line, file) != NULL)
            read_line(t, line, strlen(line));
        (void)fclose(file);
        finish(t);
    }
    mem_free(path);
    return s;
}
