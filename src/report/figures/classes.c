/*
 * classes.c - precision, recall and F1 of each class, and which classes are the worst.
 *
 * A class is a row with three dots on one scale and its values. Of more than ROWS_MAX classes the
 * drawing has those with the lowest F1; the numbers are of all.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "record/class_report.h"
#include "report/axis.h"
#include "report/figures/list.h"
#include "report/legend.h"

#define WIDTH   720.0
#define TOP     56.0
#define PITCH   20.0
#define COLUMNS 240.0 /* of the four columns of numbers at the right */

enum { ROWS_MAX = 40, SCORES = 3 };

static const struct legend_entry scores[SCORES] = {
    {.name = "precision", .colour = SVG_FILL_4},
    {.name = "recall",    .colour = SVG_FILL_2},
    {.name = "F1",        .colour = SVG_FILL_0},
};

/* A class and its place in the table. */
struct ranked {
    int64_t number;
    struct class_scores scores;
};

struct table {
    const struct confusion *confusion;
    struct ranked *rows; /* [count], those that are drawn */
    int64_t count;
    double names_width;
};

static double score_at(const struct class_scores *c, int i)
{
    const double values[SCORES] = {c->precision, c->recall, c->f1};

    return values[i];
}

/* mem_free */
static char *class_name(const struct confusion *c, int64_t i)
{
    return c->class_names == NULL ? text_format("%" PRId64, i) : mem_text(c->class_names[i]);
}

static int compare_f1(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->scores.f1 != y->scores.f1)
        return x->scores.f1 < y->scores.f1 ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct table make_table(const struct confusion *c, const struct class_report *report)
{
    struct table t = {c, MEM_NEW_N(struct ranked, c->classes), c->classes, 0};

    for (int64_t i = 0; i < c->classes; i++)
        t.rows[i] = (struct ranked){i, report->scores[i]};
    if (t.count > ROWS_MAX) {
        qsort(t.rows, (size_t)t.count, sizeof *t.rows, compare_f1);
        t.count = ROWS_MAX;
    }
    for (int64_t i = 0; i < t.count; i++) {
        char *name = class_name(c, t.rows[i].number);

        t.names_width = fmax(t.names_width, svg_text_width(name, SVG_TEXT));
        mem_free(name);
    }
    t.names_width = fmin(t.names_width, 150);
    return t;
}

static void draw_cell(struct svg *s, double x, double y, char *text)
{
    svg_text(s, &(struct svg_label){.x = x, .y = y, .size = SVG_SMALL, .anchor = SVG_END}, text);
    mem_free(text);
}

static void draw_row(const struct table *t, int64_t i, const struct axis *x, struct svg *s)
{
    const struct ranked *row = &t->rows[i];
    const double y = TOP + ((double)i + 0.5) * PITCH, right = WIDTH - COLUMNS;
    char *name = class_name(t->confusion, row->number);
    double low = 1, high = 0;

    svg_text(s,
             &(struct svg_label){.x = 16 + t->names_width,
                                 .y = y + 4,
                                 .anchor = SVG_END,
                                 .width_max = t->names_width + 1},
             name);
    mem_free(name);
    for (int k = 0; k < SCORES; k++) {
        low = fmin(low, score_at(&row->scores, k));
        high = fmax(high, score_at(&row->scores, k));
        draw_cell(s, right + 62 + k * 54, y + 4,
                  text_format("%.1f %%", 100 * score_at(&row->scores, k)));
    }
    draw_cell(s, WIDTH - 14, y + 4, text_format("%" PRId64, row->scores.support));
    svg_line(s, (struct svg_point){axis_at(x, low), y}, (struct svg_point){axis_at(x, high), y},
             &(struct svg_look){.stroke = SVG_FAINT, .stroke_width = 1});
    for (int k = 0; k < SCORES; k++)
        svg_circle(s, (struct svg_point){axis_at(x, score_at(&row->scores, k)), y}, 4.5,
                   &(struct svg_look){.fill = scores[k].colour});
}

static void draw_heads(struct svg *s)
{
    static const char *const heads[] = {"precision", "recall", "F1"};
    const double right = WIDTH - COLUMNS;
    const struct svg_label label = {
        .y = TOP - 8, .size = SVG_SMALL, .anchor = SVG_END, .colour = SVG_FAINT};

    for (int k = 0; k < SCORES; k++) {
        struct svg_label head = label;

        head.x = right + 62 + k * 54;
        svg_text(s, &head, heads[k]);
    }
    struct svg_label samples = label;
    samples.x = WIDTH - 14;
    svg_text(s, &samples, "samples");
}

static void draw_table(const struct table *t, struct figure *f)
{
    const double left = 16 + t->names_width + 14;
    const struct svg_box plot = {left, TOP, WIDTH - COLUMNS - left, PITCH * (double)t->count};
    const struct axis_range range = {.unit = AXIS_PERCENT,
                                     .high = 1,
                                     .from = plot.x,
                                     .to = plot.x + plot.width,
                                     .ticks_wanted = 5};
    const struct legend legend = {scores, SCORES, left, 8, WIDTH - left};
    struct axis x;
    struct svg s;

    axis_init(&x, &range);
    svg_open(&s, &f->svg, &(struct svg_frame){WIDTH, TOP + plot.height + 28, f->title, SVG_LIGHT});
    legend_draw(&legend, &s);
    axis_draw_below(&x, &s, plot, NULL);
    draw_heads(&s);
    for (int64_t i = 0; i < t->count; i++)
        draw_row(t, i, &x, &s);
    svg_close(&s);
}

static void put_numbers(const struct confusion *c, const struct class_report *report,
                        struct figure *f)
{
    static const char *const titles[] = {"class", "precision", "recall", "f1", "support", NULL};

    figure_start_numbers(f, titles, c->classes);
    for (int64_t i = 0; i < c->classes; i++) {
        text_table_put(&f->numbers, i + 1, 0, class_name(c, i));
        for (int k = 0; k < SCORES; k++)
            figure_put_number(f, i, k + 1, score_at(&report->scores[i], k));
        figure_put_int(f, i, 4, report->scores[i].support);
    }
}

static char *make_caption(const struct table *t, const struct class_report *report)
{
    struct text caption = {0};

    if (t->count < report->count)
        text_addf(&caption, "The %" PRId64 " of %" PRId64 " classes with the lowest F1. ", t->count,
                  report->count);
    text_addf(&caption,
              "Precision: of what was classified so, the share that is right. Recall: of the "
              "samples of the class, the share that was found. F1: their harmonic mean, %.1f %% on "
              "average over all classes.",
              100 * report->macro.f1);
    return text_take(&caption);
}

static bool draw(const struct record *r, struct figure *f)
{
    const struct confusion *c = &r->confusion;
    struct class_report report;

    if (c->matrix == NULL || c->classes < 2)
        return false;
    class_report_init(&report, c->matrix, c->classes);
    const bool has_samples = report.macro.support > 0;
    if (has_samples) {
        struct table t = make_table(c, &report);

        draw_table(&t, f);
        put_numbers(c, &report, f);
        f->caption = make_caption(&t, &report);
        mem_free(t.rows);
    }
    class_report_release(&report);
    return has_samples;
}

const struct run_figure classes_figure = {
    .name = "classes",
    .title = "Classes",
    .draw = draw,
};
