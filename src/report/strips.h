/*
 * strips.h - what each endpoint of a traced run did when, as strips over a time axis.
 */
#ifndef REPORT_STRIPS_H
#define REPORT_STRIPS_H

#include "record/trace_file.h"
#include "report/activity.h"

struct strip_span {
    double start, end; /* seconds since the start of the trace */
    enum activity what;
};

/* An endpoint: spans that follow one another. */
struct strip {
    const char *name;         /* borrowed */
    struct strip_span *spans; /* [count], owned */
    int64_t count;
    double seconds[ACTIVITIES];
};

struct strips {
    struct strip *items;
    int64_t count;
    double end;           /* of the trace */
    double typical_start; /* when a quarter of the traced rounds have begun */
    double typical_round; /* the median length; 0: no rounds were traced */
};

void strips_init(struct strips *t, const struct trace_file *trace);
void strips_release(struct strips *t);

/* Part of the time, drawn into a box with a time axis below. */
struct strips_view {
    double start, end;
    struct svg_box plot;
    int64_t shown; /* so many endpoints */
};

/* Every span. */
void strips_draw_spans(const struct strips *t, const struct strips_view *v, struct svg *s);

/* Slots of time: the heights in a slot are the shares of what was done in it. */
void strips_draw_shares(const struct strips *t, const struct strips_view *v, int64_t slots,
                        struct svg *s);

/* Spans that are in a view. */
int64_t strips_count(const struct strips *t, const struct strips_view *v);

#endif
