/*
 * trace.c - what each worker and server did when, of a run with --trace: some rounds span by span,
 * and the whole run as shares.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "report/figures/list.h"
#include "report/strips.h"

#define WIDTH 860.0
#define LEFT  96.0
#define RIGHT 26.0
#define TOP   54.0
#define SPACE 62.0 /* between the two parts */

enum {
    SHOWN_MAX = 64,
    ROUNDS = 10,
    SPANS_MAX = 3000, /* these keep the drawing below about 150 kB */
    SLOTS_MAX = 240,
    SLOTS_OF_ALL = 2400
};

struct parts {
    struct strips_view rounds, whole;
    bool has_whole; /* the rounds are not the whole run */
};

/* As many as can be drawn. */
static struct strips_view some_rounds(const struct strips *t, const struct strips_view *whole)
{
    struct strips_view v = *whole;
    const double length = t->typical_round > 0 ? ROUNDS * t->typical_round : whole->end / 50;

    v.start = t->typical_start;
    v.end = fmin(v.start + length, whole->end);
    while (strips_count(t, &v) > SPANS_MAX)
        v.end = v.start + (v.end - v.start) / 2;
    return v;
}

static struct parts make_parts(const struct strips *t)
{
    const int64_t shown = t->count < SHOWN_MAX ? t->count : SHOWN_MAX;
    const double pitch = fmin(fmax(320 / (double)shown, 7), 22);
    const struct svg_box plot = {LEFT, TOP, WIDTH - LEFT - RIGHT, pitch * (double)shown};
    struct parts p = {
        .whole = {0, t->end, plot, shown}
    };

    p.rounds = some_rounds(t, &p.whole);
    p.has_whole = p.rounds.end - p.rounds.start < 0.5 * t->end;
    if (p.has_whole)
        p.whole.plot.y += plot.height + SPACE;
    else if (strips_count(t, &p.whole) <= 2 * SPANS_MAX)
        p.rounds = p.whole;
    return p;
}

static void draw_heading(struct svg *s, double y, const char *text)
{
    svg_text(s, &(struct svg_label){.x = LEFT, .y = y, .is_bold = true}, text);
}

static void draw_legend(const struct strips *t, struct svg *s)
{
    struct legend_entry entries[ACTIVITIES];
    struct legend legend = {entries, 0, LEFT, 6, WIDTH - LEFT};

    for (int a = 0; a < ACTIVITIES; a++) {
        double seconds = 0;

        for (int64_t i = 0; i < t->count; i++)
            seconds += t->items[i].seconds[a];
        if (seconds > 0)
            entries[legend.count++] = activity_entries[a];
    }
    legend_draw(&legend, s);
}

static void draw_strips(const struct strips *t, const struct parts *p, struct figure *f)
{
    const struct svg_box last = p->has_whole ? p->whole.plot : p->rounds.plot;
    const int64_t slots = SLOTS_OF_ALL / p->whole.shown;
    struct svg s;

    svg_open(&s, &f->svg,
             &(struct svg_frame){WIDTH, last.y + last.height + 28, f->title, SVG_LIGHT});
    draw_legend(t, &s);
    draw_heading(&s, TOP - 10, p->has_whole ? "Some rounds" : "The whole run");
    strips_draw_spans(t, &p->rounds, &s);
    if (p->has_whole) {
        draw_heading(&s, p->whole.plot.y - 10, "The whole run");
        strips_draw_shares(t, &p->whole, slots < SLOTS_MAX ? slots : SLOTS_MAX, &s);
    }
    svg_close(&s);
}

static void put_numbers(const struct strips *t, struct figure *f)
{
    static const char *const titles[] = {"endpoint",
                                         "computing_seconds",
                                         "waiting_seconds",
                                         "transferring_seconds",
                                         "sleeping_seconds",
                                         "evaluating_seconds",
                                         NULL};

    figure_start_numbers(f, titles, t->count);
    for (int64_t i = 0; i < t->count; i++) {
        figure_put_text(f, i, 0, t->items[i].name);
        for (int a = 0; a < ACTIVITIES; a++)
            figure_put_number(f, i, a + 1, t->items[i].seconds[a]);
    }
}

static char *make_caption(const struct strips *t, const struct parts *p)
{
    struct text caption = {0};

    text_add(&caption, "What each endpoint did when; evaluating includes checkpoints.");
    if (p->has_whole)
        text_add(&caption, p->rounds.start > 0 ? " Above: some rounds after the start."
                                               : " Above: the start.");
    if (p->has_whole)
        text_add(&caption, " Below: the whole run; heights are shares of the time in a slot.");
    if (p->whole.shown < t->count)
        text_addf(&caption, " The first %" PRId64 " of %" PRId64 " endpoints.", p->whole.shown,
                  t->count);
    text_add(&caption, " trace.json has every span, for ui.perfetto.dev.");
    return text_take(&caption);
}

static bool draw_trace(const struct trace_file *trace, struct figure *f)
{
    struct strips t;

    if (trace->count == 0 || !(trace->end > trace->start))
        return false;
    strips_init(&t, trace);
    const struct parts p = make_parts(&t);
    draw_strips(&t, &p, f);
    put_numbers(&t, f);
    f->caption = make_caption(&t, &p);
    strips_release(&t);
    return true;
}

static bool draw(const struct record *r, struct figure *f)
{
    struct trace_file trace = {0};

    if (record_has(r, RECORD_TRACE))
        (void)trace_file_read(r->run_dir, &trace); /* a damaged file has fewer events */
    const bool is_drawn = draw_trace(&trace, f);
    trace_file_release(&trace);
    return is_drawn;
}

const struct run_figure trace_figure = {
    .name = "trace",
    .title = "Time line",
    .draw = draw,
};
