/*
 * scaling_figure.c - three plots: speed-up and efficiency with the ideal, and accuracy.
 */
#include "report/scaling_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/curve_plot.h"
#include "report/legend.h"

#define WIDTH 860.0
#define PANEL 300.0
#define LEFT  66.0
#define TOP   10.0

#define IDEAL_DASH "5 4"

enum { LOG_FROM = 16 }; /* this many times more workers at the end than at the start */

/* The points by algorithm, in the order in which they appear, and by number of workers. */
struct scaling {
    struct scaling_point *points; /* [count], sorted */
    int64_t count;
    int64_t *begins; /* [algorithms + 1] into points */
    int64_t algorithms;
    double *workers; /* [worker_count], different, ascending */
    int64_t worker_count;
};

/* --- sorting --- */

static int compare_workers(const void *a, const void *b)
{
    const struct scaling_point *x = a, *y = b;

    return (x->workers > y->workers) - (x->workers < y->workers);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void set_workers(struct scaling *t)
{
    t->workers = MEM_NEW_N(double, t->count);
    for (int64_t i = 0; i < t->count; i++)
        t->workers[i] = (double)t->points[i].workers;
    qsort(t->workers, (size_t)t->count, sizeof *t->workers, compare_doubles);
    for (int64_t i = 0; i < t->count; i++)
        if (t->worker_count == 0 || t->workers[t->worker_count - 1] != t->workers[i])
            t->workers[t->worker_count++] = t->workers[i];
}

static bool is_new(const struct scaling *t, const char *algorithm)
{
    for (int64_t a = 0; a < t->algorithms; a++)
        if (strcmp(t->points[t->begins[a]].algorithm, algorithm) == 0)
            return false;
    return true;
}

/* The points of one algorithm behind those of the algorithms before. */
static void add_algorithm(struct scaling *t, const struct scaling_point *points, int64_t count,
                          const char *algorithm)
{
    int64_t end = t->begins[t->algorithms];

    for (int64_t i = 0; i < count; i++)
        if (strcmp(points[i].algorithm, algorithm) == 0)
            t->points[end++] = points[i];
    qsort(t->points + t->begins[t->algorithms], (size_t)(end - t->begins[t->algorithms]),
          sizeof *t->points, compare_workers);
    t->begins[++t->algorithms] = end;
}

static void scaling_init(struct scaling *t, const struct scaling_point *points, int64_t count)
{
    *t = (struct scaling){
        .points = MEM_NEW_N(struct scaling_point, count),
        .count = count,
        .begins = MEM_NEW_N(int64_t, count + 1),
    };
    for (int64_t i = 0; i < count; i++)
        if (is_new(t, points[i].algorithm))
            add_algorithm(t, points, count, points[i].algorithm);
    set_workers(t);
}

static void scaling_release(struct scaling *t)
{
    mem_free(t->points);
    mem_free(t->begins);
    mem_free(t->workers);
}

/* --- curves --- */

typedef struct curve_point scaling_value(const struct scaling_point *p);

static struct curve_point speedup_of(const struct scaling_point *p)
{
    return (struct curve_point){(double)p->workers, p->speedup, (double)NAN, (double)NAN};
}

static struct curve_point efficiency_of(const struct scaling_point *p)
{
    return (struct curve_point){(double)p->workers, p->efficiency, (double)NAN, (double)NAN};
}

static struct curve_point accuracy_of(const struct scaling_point *p)
{
    return (struct curve_point){(double)p->workers, p->accuracy, p->accuracy_low, p->accuracy_high};
}

/* Only the band: the line is that of the accuracy. */
static struct curve_point range_of(const struct scaling_point *p)
{
    return (struct curve_point){(double)p->workers, (double)NAN, p->worker_low, p->worker_high};
}

/* points[count], borrowed by the curves. */
static void fill_curves(const struct scaling *t, scaling_value *value, struct curve_point *points,
                        struct curve *curves)
{
    for (int64_t i = 0; i < t->count; i++)
        points[i] = value(&t->points[i]);
    for (int64_t a = 0; a < t->algorithms; a++)
        curves[a] = (struct curve){
            .name = t->points[t->begins[a]].algorithm,
            .colour = svg_fill(a),
            .points = points + t->begins[a],
            .count = t->begins[a + 1] - t->begins[a],
            .spread = value == range_of ? CURVE_BAND : CURVE_BARS,
            .has_marks = true,
            .is_hidden_in_legend = value == range_of,
        };
}

static struct curve ideal_curve(const struct curve_point *points, int64_t count)
{
    return (struct curve){
        .name = "ideal", .colour = SVG_FAINT, .dash = IDEAL_DASH, .points = points, .count = count};
}

static struct curve_set make_set(const struct scaling *t, const char *y_title)
{
    return (struct curve_set){
        .x_title = "workers",
        .y_title = y_title,
        .is_x_log = t->workers[t->worker_count - 1] >= LOG_FROM * t->workers[0],
        .x_ticks = t->workers,
        .x_tick_count = t->worker_count,
    };
}

/* --- drawing --- */

/* [algorithms + 1]; mem_free */
static struct legend_entry *make_entries(const struct scaling *t)
{
    struct legend_entry *entries = MEM_NEW_N(struct legend_entry, t->algorithms + 1);

    for (int64_t a = 0; a < t->algorithms; a++)
        entries[a] =
            (struct legend_entry){t->points[t->begins[a]].algorithm, svg_fill(a), true, NULL};
    entries[t->algorithms] = (struct legend_entry){"ideal", SVG_FAINT, true, IDEAL_DASH};
    return entries;
}

/* Relative to the fewest workers, as the speed-up itself. The line has a point per number of
 * workers, so that it is right on both kinds of axes. */
static void draw_speed(const struct scaling *t, bool is_efficiency, struct svg *s,
                       struct svg_box box)
{
    struct curve_point *points = MEM_NEW_N(struct curve_point, t->count + t->worker_count);
    struct curve *curves = MEM_NEW_N(struct curve, t->algorithms + 1);
    struct curve_set set = make_set(t, is_efficiency ? "efficiency" : "speed-up");

    for (int64_t i = 0; i < t->worker_count; i++)
        points[t->count + i] =
            (struct curve_point){t->workers[i], is_efficiency ? 1 : t->workers[i] / t->workers[0],
                                 (double)NAN, (double)NAN};
    fill_curves(t, is_efficiency ? efficiency_of : speedup_of, points, curves + 1);
    curves[0] = ideal_curve(points + t->count, t->worker_count);
    set.curves = curves;
    set.count = t->algorithms + 1;
    set.y_unit = is_efficiency ? AXIS_PERCENT : AXIS_NUMBER;
    set.is_y_from_zero = is_efficiency || !set.is_x_log;
    set.is_y_log = !is_efficiency && set.is_x_log;
    curve_plot_into(&set, s, box);
    mem_free(curves);
    mem_free(points);
}

static void draw_accuracy(const struct scaling *t, struct svg *s, struct svg_box box)
{
    struct curve_point *points = MEM_NEW_N(struct curve_point, 2 * t->count);
    struct curve *curves = MEM_NEW_N(struct curve, 2 * t->algorithms);
    struct curve_set set = make_set(t, "test accuracy");

    fill_curves(t, range_of, points, curves);
    fill_curves(t, accuracy_of, points + t->count, curves + t->algorithms);
    set.curves = curves;
    set.count = 2 * t->algorithms;
    set.y_unit = AXIS_PERCENT;
    curve_plot_into(&set, s, box);
    mem_free(curves);
    mem_free(points);
}

struct contents {
    bool has_speed, has_accuracy, has_interval, has_range;
};

static void draw_panels(const struct scaling *t, const struct contents *c, struct figure *f)
{
    struct legend_entry *entries = make_entries(t);
    const struct legend legend = {entries, t->algorithms + c->has_speed, LEFT, TOP,
                                  WIDTH - LEFT - 20};
    double y = TOP + legend_height(&legend) + 6;
    struct svg s;

    svg_open(&s, &f->svg,
             &(struct svg_frame){WIDTH, y + (c->has_speed + c->has_accuracy) * PANEL, f->title,
                                 SVG_LIGHT});
    legend_draw(&legend, &s);
    if (c->has_speed) {
        draw_speed(t, false, &s, (struct svg_box){0, y, WIDTH / 2, PANEL});
        draw_speed(t, true, &s, (struct svg_box){WIDTH / 2, y, WIDTH / 2, PANEL});
        y += PANEL;
    }
    if (c->has_accuracy)
        draw_accuracy(t, &s, (struct svg_box){0, y, WIDTH, PANEL});
    svg_close(&s);
    mem_free(entries);
}

/* --- around it --- */

static void put_numbers(const struct scaling *t, struct figure *f)
{
    static const char *const titles[] = {
        "algorithm",    "workers",       "speedup",    "efficiency",  "accuracy",
        "accuracy_low", "accuracy_high", "worker_low", "worker_high", NULL};

    figure_start_numbers(f, titles, t->count);
    for (int64_t i = 0; i < t->count; i++) {
        const struct scaling_point *p = &t->points[i];
        const double values[] = {p->speedup,       p->efficiency, p->accuracy,   p->accuracy_low,
                                 p->accuracy_high, p->worker_low, p->worker_high};

        figure_put_text(f, i, 0, p->algorithm);
        figure_put_int(f, i, 1, p->workers);
        for (int k = 0; k < 7; k++)
            figure_put_number(f, i, k + 2, values[k]);
    }
}

static char *make_caption(const struct scaling *t, const struct contents *c)
{
    struct text caption = {0};

    if (c->has_speed)
        text_addf(&caption,
                  "Speed-up: how many times faster than with %.0f worker%s; efficiency: the "
                  "speed-up by the number of workers that is ideal.",
                  t->workers[0], t->workers[0] == 1 ? "" : "s");
    if (c->has_accuracy)
        text_addf(&caption, "%sTest accuracy%s%s.", c->has_speed ? " " : "",
                  c->has_interval ? " with its 95 % interval" : "",
                  c->has_range
                      ? (c->has_interval ? "; the band is the range over the workers' models"
                                         : ", and as a band its range over the workers' models")
                      : "");
    return text_take(&caption);
}

static struct contents find_contents(const struct scaling *t)
{
    struct contents c = {0};

    for (int64_t i = 0; i < t->count && t->worker_count > 1 && t->workers[0] > 0; i++) {
        const struct scaling_point *p = &t->points[i];

        c.has_speed = c.has_speed || isfinite(p->speedup);
        c.has_accuracy = c.has_accuracy || isfinite(p->accuracy);
        c.has_interval = c.has_interval || isfinite(p->accuracy_low);
        c.has_range = c.has_range || isfinite(p->worker_low);
    }
    return c;
}

bool scaling_figure(const struct scaling_point *points, int64_t count, struct figure *f)
{
    struct scaling t;

    *f = (struct figure){.name = "scaling", .title = "Scaling"};
    scaling_init(&t, points, count);
    const struct contents c = find_contents(&t);
    const bool is_drawn = c.has_speed || c.has_accuracy;
    if (is_drawn) {
        draw_panels(&t, &c, f);
        put_numbers(&t, f);
        f->caption = make_caption(&t, &c);
    }
    scaling_release(&t);
    return is_drawn;
}
