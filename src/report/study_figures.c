/*
 * study_figures.c - curves and scaling of the cases, from a report's subject.
 */
#include "report/study_figures.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/curve_plot.h"
#include "report/scaling_figure.h"

enum { MARKED_MAX = 20 }; /* points of a line that get dots */

/* --- scaling --- */

static void widen(struct scaling_point *p, double accuracy)
{
    if (isnan(accuracy))
        return;
    if (!(p->worker_low <= accuracy))
        p->worker_low = accuracy;
    if (!(p->worker_high >= accuracy))
        p->worker_high = accuracy;
}

/* The lowest and highest accuracy of a worker's own model, over the runs of a case. */
static void take_worker_range(const struct subject *s, int64_t number, struct scaling_point *p)
{
    p->worker_low = p->worker_high = (double)NAN;
    for (int64_t i = 0; i < s->results.run_count; i++) {
        struct record_workers workers;

        if (s->runs[i].case_number != number || s->runs[i].dir == NULL ||
            s->results.runs[i].part_of != NULL || /* its workers went on */
            workers_read(s->runs[i].dir, &workers) != STATUS_OK)
            continue;
        for (int64_t w = 0; w < workers.count; w++)
            widen(p, workers.items[w].test_accuracy);
        workers_release(&workers);
    }
}

/* A line is what has the same settings but for the workers: the name of its first case, or the
 * algorithm where that says it all. */
static const char *line_name(const struct subject *s, int64_t number)
{
    const int64_t first = subject_reference(s, number);
    int64_t same = 0;

    for (int64_t i = 0; i < s->results.case_count; i++)
        if (subject_reference(s, i) == i && s->cases[i].algorithm != NULL &&
            s->cases[first].algorithm != NULL &&
            strcmp(s->cases[i].algorithm, s->cases[first].algorithm) == 0)
            same++;
    return same == 1 ? s->cases[first].algorithm : s->cases[first].name;
}

bool study_scaling_figure(const struct subject *s, struct figure *f)
{
    struct scaling_point *points = MEM_NEW_N(struct scaling_point, s->results.case_count);
    int64_t count = 0;

    for (int64_t i = 0; i < s->results.case_count; i++) {
        const struct mean_deviation *accuracy = &s->results.cases[i].numbers[RESULT_ACCURACY];
        const int64_t least = s->cases[subject_reference(s, i)].workers;
        const double factor = (double)s->cases[i].workers / (double)least;

        if (isnan(s->cases[i].speedup) || least <= 0)
            continue;
        points[count] = (struct scaling_point){
            .algorithm = line_name(s, i),
            .workers = s->cases[i].workers,
            .speedup = s->cases[i].speedup,
            .efficiency = s->cases[i].speedup / factor,
            .accuracy = accuracy->mean,
            .accuracy_low = accuracy->mean - accuracy->half_width,
            .accuracy_high = accuracy->mean + accuracy->half_width,
        };
        take_worker_range(s, i, &points[count++]);
    }
    const bool is_drawn = scaling_figure(points, count, f);
    mem_free(points);
    return is_drawn;
}

/* --- curves --- */

static bool is_accuracy(const char *metric)
{
    return strstr(metric, "accuracy") != NULL;
}

static bool has_same_algorithm(const struct subject *s, int64_t a, int64_t b)
{
    const char *x = s->cases[a].algorithm, *y = s->cases[b].algorithm;

    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* Colour belongs to the algorithm, dash to the setting. With one algorithm the settings get colours
 * first. */
struct line_look {
    int64_t colour, dash;
};

static void choose_looks(const struct subject *s, struct line_look *looks)
{
    int64_t colours = 0;

    for (int64_t i = 0; i < s->results.case_count; i++) {
        looks[i] = (struct line_look){.colour = -1};
        for (int64_t k = 0; k < i; k++)
            if (has_same_algorithm(s, k, i)) {
                looks[i].colour = looks[k].colour;
                looks[i].dash++;
            }
        if (looks[i].colour < 0)
            looks[i].colour = colours++;
    }
    for (int64_t i = 0; colours == 1 && i < s->results.case_count; i++)
        looks[i] = (struct line_look){.colour = i, .dash = i / SVG_FILLS};
}

/* The interval of a mean may reach beyond what an accuracy can be. */
static void clip_bands(struct case_curves *c)
{
    for (int64_t i = 0; i < c->case_count; i++)
        for (int64_t k = 0; k < c->point_count; k++) {
            c->cases[i].low[k] = c->cases[i].low[k] < 0 ? 0 : c->cases[i].low[k];
            c->cases[i].high[k] = c->cases[i].high[k] > 1 ? 1 : c->cases[i].high[k];
        }
}

static struct curve curve_of(const struct case_curves *c, int64_t number, struct line_look look,
                             struct curve_point *points)
{
    int64_t count = 0;

    for (int64_t i = 0; i < c->point_count; i++)
        if (!isnan(c->cases[number].mean[i]))
            points[count++] = (struct curve_point){
                .x = c->x[i],
                .y = c->cases[number].mean[i],
                .low = c->cases[number].low[i],
                .high = c->cases[number].high[i],
            };
    return (struct curve){
        .colour = svg_fill(look.colour),
        .dash = curve_dash(look.dash),
        .points = points,
        .count = count,
        .has_marks = count <= MARKED_MAX,
    };
}

/* "test accuracy" */
static void add_words(struct text *out, const char *metric)
{
    for (; *metric != '\0'; metric++)
        text_add_n(out, *metric == '_' ? " " : metric, 1);
}

bool study_curve_figure(const struct subject *s, const struct metric_table *tables,
                        const char *metric, enum curve_axis axis, struct figure *f)
{
    struct case_curves c;
    struct text title = {0};

    case_curves_init(&c, s, tables, metric, axis);
    struct curve *curves = MEM_NEW_N(struct curve, c.case_count);
    struct curve_point *points = MEM_NEW_N(struct curve_point, c.case_count * c.point_count);
    struct line_look *looks = MEM_NEW_N(struct line_look, c.case_count);
    choose_looks(s, looks);
    if (is_accuracy(metric))
        clip_bands(&c);
    for (int64_t i = 0; i < c.case_count; i++) {
        curves[i] = curve_of(&c, i, looks[i], points + i * c.point_count);
        curves[i].name = s->cases[i].name;
    }
    mem_free(looks);
    add_words(&title, metric);
    const struct curve_set set = {
        .name = metric,
        .title = s->title,
        .x_title = curve_axis_names[axis],
        .y_title = text_get(&title),
        .x_unit = axis == CURVE_BYTES     ? AXIS_BYTES
                  : axis == CURVE_SECONDS ? AXIS_SECONDS
                                          : AXIS_NUMBER,
        .y_unit = is_accuracy(metric) ? AXIS_PERCENT : AXIS_NUMBER,
        .curves = curves,
        .count = c.case_count,
    };
    const bool is_drawn = c.point_count > 0 && curve_plot(&set, f);
    if (is_drawn)
        f->caption = text_format("The %s against %s: mean over seeds, and its 95 %% interval.",
                                 text_get(&title), curve_axis_names[axis]);
    text_release(&title);
    mem_free(curves);
    mem_free(points);
    case_curves_release(&c);
    return is_drawn;
}
