/*
 * strips.c - makes strips of a trace, and draws them.
 *
 * Of evaluations and checkpoints the spans inside, which are computing and waiting, are left out.
 */
#include "report/strips.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/axis.h"

static const enum activity activities[TRACE_FILE_WHATS] = {
    [TRACE_FILE_COMPUTE] = ACTIVITY_COMPUTING,
    [TRACE_FILE_WAIT] = ACTIVITY_WAITING,
    [TRACE_FILE_SEND] = ACTIVITY_TRANSFERRING,
    [TRACE_FILE_RECEIVE] = ACTIVITY_TRANSFERRING,
    [TRACE_FILE_SUM] = ACTIVITY_TRANSFERRING,
    [TRACE_FILE_CONTROL] = ACTIVITY_TRANSFERRING,
    [TRACE_FILE_SLEEP] = ACTIVITY_SLEEPING,
    [TRACE_FILE_EVALUATE] = ACTIVITY_EVALUATING,
    [TRACE_FILE_CHECKPOINT] = ACTIVITY_EVALUATING,
    [TRACE_FILE_ROUND] = ACTIVITIES,
    [TRACE_FILE_LEFT_OUT] = ACTIVITIES,
};

/* --- from the trace --- */

static void strip_init(struct strip *t, const struct trace_track *track, double zero)
{
    double covered = -(double)INFINITY; /* until the end of an evaluation */

    *t = (struct strip){.name = track->name, .spans = MEM_NEW_N(struct strip_span, track->count)};
    for (int64_t i = 0; i < track->count; i++) {
        const struct trace_span_read *s = &track->spans[i];
        const enum activity what = activities[s->what];

        if (what == ACTIVITIES || s->start < covered)
            continue;
        if (what == ACTIVITY_EVALUATING)
            covered = s->end;
        t->spans[t->count++] = (struct strip_span){s->start - zero, s->end - zero, what};
        t->seconds[what] += s->end - s->start;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* At the start of a run workers begin one after the other, so that its rounds are not typical. */
static void measure_rounds(struct strips *t, const struct trace_file *trace)
{
    int64_t spans = 0, rounds = 0;

    for (int64_t i = 0; i < trace->count; i++)
        spans += trace->tracks[i].count;
    double *starts = MEM_NEW_N(double, 2 * spans), *lengths = starts + spans;
    for (int64_t i = 0; i < trace->count; i++) {
        for (int64_t k = 0; k < trace->tracks[i].count; k++) {
            const struct trace_span_read *s = &trace->tracks[i].spans[k];

            if (s->what != TRACE_FILE_ROUND)
                continue;
            starts[rounds] = s->start - trace->start;
            lengths[rounds++] = s->end - s->start;
        }
    }
    qsort(starts, (size_t)rounds, sizeof *starts, compare_doubles);
    qsort(lengths, (size_t)rounds, sizeof *lengths, compare_doubles);
    t->typical_start = rounds > 0 ? starts[rounds / 4] : 0;
    t->typical_round = rounds > 0 ? lengths[rounds / 2] : 0;
    mem_free(starts);
}

void strips_init(struct strips *t, const struct trace_file *trace)
{
    *t = (struct strips){.items = MEM_NEW_N(struct strip, trace->count),
                         .count = trace->count,
                         .end = trace->end - trace->start};
    for (int64_t i = 0; i < trace->count; i++)
        strip_init(&t->items[i], &trace->tracks[i], trace->start);
    measure_rounds(t, trace);
}

void strips_release(struct strips *t)
{
    for (int64_t i = 0; i < t->count; i++)
        mem_free(t->items[i].spans);
    mem_free(t->items);
    *t = (struct strips){0};
}

/* --- drawing --- */

static struct axis time_axis(const struct strips_view *v)
{
    const struct axis_range range = {.unit = AXIS_SECONDS,
                                     .low = v->start,
                                     .high = v->end,
                                     .from = v->plot.x,
                                     .to = v->plot.x + v->plot.width,
                                     .is_exact = true};
    struct axis x;

    axis_init(&x, &range);
    return x;
}

static double pitch_of(const struct strips_view *v)
{
    return v->plot.height / (double)v->shown;
}

static double thickness_of(const struct strips_view *v)
{
    return pitch_of(v) * (pitch_of(v) > 12 ? 0.78 : 0.86);
}

static void draw_frame(const struct strips *t, const struct strips_view *v, const struct axis *x,
                       struct svg *s)
{
    const int64_t stride = (int64_t)ceil(13 / pitch_of(v));

    axis_draw_below(x, s, v->plot, NULL);
    for (int64_t i = 0; i < v->shown; i += stride)
        svg_text(s,
                 &(struct svg_label){.x = v->plot.x - 8,
                                     .y = v->plot.y + ((double)i + 0.5) * pitch_of(v) + 4,
                                     .size = SVG_SMALL,
                                     .anchor = SVG_END,
                                     .colour = SVG_FAINT,
                                     .width_max = v->plot.x - 10},
                 t->items[i].name);
}

static bool is_within(const struct strip_span *p, const struct strips_view *v)
{
    return p->end > v->start && p->start < v->end;
}

int64_t strips_count(const struct strips *t, const struct strips_view *v)
{
    int64_t count = 0;

    for (int64_t i = 0; i < v->shown; i++)
        for (int64_t k = 0; k < t->items[i].count; k++)
            count += is_within(&t->items[i].spans[k], v);
    return count;
}

void strips_draw_spans(const struct strips *t, const struct strips_view *v, struct svg *s)
{
    const struct axis x = time_axis(v);
    struct text paths[ACTIVITIES] = {0};

    draw_frame(t, v, &x, s);
    for (int64_t i = 0; i < v->shown; i++) {
        const double y = v->plot.y + ((double)i + 0.5) * pitch_of(v);

        for (int64_t k = 0; k < t->items[i].count; k++) {
            const struct strip_span *p = &t->items[i].spans[k];
            const double from = axis_at(&x, p->start), to = axis_at(&x, p->end);

            if (!is_within(p, v) || to - from < 0.05)
                continue;
            svg_path_to(&paths[p->what], 'M', (struct svg_point){from, y});
            svg_path_by(&paths[p->what], 'h', to - from);
        }
    }
    for (int a = 0; a < ACTIVITIES; a++) {
        if (paths[a].length > 0)
            svg_path(s, text_get(&paths[a]),
                     &(struct svg_look){.stroke = activity_entries[a].colour,
                                        .stroke_width = thickness_of(v)});
        text_release(&paths[a]);
    }
}

/* shares[slots][ACTIVITIES]: of the length of a slot. */
static void fill_shares(const struct strip *t, const struct strips_view *v, int64_t slots,
                        double *shares)
{
    const double length = (v->end - v->start) / (double)slots;

    for (int64_t k = 0; k < t->count; k++) {
        const struct strip_span *p = &t->spans[k];
        const double from = fmax(p->start - v->start, 0), to = fmin(p->end, v->end) - v->start;

        for (int64_t i = (int64_t)(from / length); i < slots && (double)i * length < to; i++) {
            const double begin = fmax(from, (double)i * length);
            const double end = fmin(to, (double)(i + 1) * length);

            shares[i * ACTIVITIES + p->what] += fmax(end - begin, 0) / length;
        }
    }
}

/*
 * The steps of the shares up to and with an activity, as one area. The areas of the activities
 * before it are drawn over it, so that what is seen is its own share.
 */
static void add_area(struct text *path, const double *shares, int64_t slots, enum activity last,
                     struct svg_box box)
{
    double before = -1;

    svg_path_to(path, 'M', (struct svg_point){box.x, box.y + box.height});
    for (int64_t i = 0; i < slots; i++) {
        double share = 0;

        for (int a = 0; a <= (int)last; a++)
            share += shares[i * ACTIVITIES + a];
        share = fmin(share, 1);
        if (round(share * box.height * 10) != before) {
            svg_path_by(path, 'H',
                        round(10 * (box.x + (double)i * box.width / (double)slots)) / 10);
            svg_path_by(path, 'V', round(10 * (box.y + (1 - share) * box.height)) / 10);
        }
        before = round(share * box.height * 10);
    }
    svg_path_by(path, 'H', box.x + box.width);
    svg_path_by(path, 'V', box.y + box.height);
    text_add(path, "z");
}

static void draw_areas(const struct strip *t, const double *shares, int64_t slots,
                       struct svg_box box, struct svg *s)
{
    for (int a = ACTIVITIES - 1; a >= 0; a--) {
        struct text path = {0};

        if (t->seconds[a] <= 0)
            continue;
        add_area(&path, shares, slots, (enum activity)a, box);
        svg_path(s, text_get(&path), &(struct svg_look){.fill = activity_entries[a].colour});
        text_release(&path);
    }
}

void strips_draw_shares(const struct strips *t, const struct strips_view *v, int64_t slots,
                        struct svg *s)
{
    const struct axis x = time_axis(v);

    draw_frame(t, v, &x, s);
    for (int64_t i = 0; i < v->shown; i++) {
        double *shares = MEM_NEW_N(double, slots *ACTIVITIES);
        const double gap = (pitch_of(v) - thickness_of(v)) / 2;

        fill_shares(&t->items[i], v, slots, shares);
        draw_areas(&t->items[i], shares, slots,
                   (struct svg_box){v->plot.x, v->plot.y + (double)i * pitch_of(v) + gap,
                                    v->plot.width, thickness_of(v)},
                   s);
        mem_free(shares);
    }
}
