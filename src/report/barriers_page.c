/*
 * barriers_page.c - see barriers_page.h: the lines as curves, and the matrix of barriers.
 */
#include "report/barriers_page.h"

#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/curve_plot.h"
#include "report/html.h"
#include "report/table.h"

/* Lines that are told apart in one drawing; of more, those with the highest barriers are of
 * interest, and the matrix has them all. */
enum { LINES_MAX = 30 };

static void set_points(const struct barriers *b, int64_t pair, struct curve_point *points)
{
    for (int64_t i = 0; i < b->points; i++)
        points[i] = (struct curve_point){
            .x = (double)i / (double)(b->points - 1),
            .y = b->losses[pair * b->points + i],
            .low = (double)NAN,
            .high = (double)NAN,
        };
}

/* The curves of the first lines; names and points are the caller's. */
static void set_curves(const struct barriers *b, int64_t count, struct curve *curves, char **names,
                       struct curve_point *points)
{
    int64_t pair = 0;

    for (int64_t i = 0; i < b->model_count; i++)
        for (int64_t j = i + 1; j < b->model_count && pair < count; j++, pair++) {
            names[pair] = text_format("%s to %s", b->names[i], b->names[j]);
            set_points(b, pair, points + pair * b->points);
            curves[pair] = (struct curve){
                .name = names[pair],
                .colour = svg_fill(pair),
                .dash = curve_dash(pair / 8),
                .points = points + pair * b->points,
                .count = b->points,
            };
        }
}

static void add_lines(const struct barriers *b, struct text *out)
{
    const int64_t count = b->pair_count < LINES_MAX ? b->pair_count : LINES_MAX;
    struct curve *curves = MEM_NEW_N(struct curve, count);
    struct curve_point *points = MEM_NEW_N(struct curve_point, count * b->points);
    char **names = MEM_NEW_N(char *, count);
    struct figure f = {0};

    set_curves(b, count, curves, names, points);
    if (curve_plot(&(struct curve_set){.name = "between",
                                       .title = "Loss on the lines between models",
                                       .x_title = "share of the way",
                                       .y_title = "loss",
                                       .curves = curves,
                                       .count = count},
                   &f))
        text_add_n(out, text_get(&f.svg), f.svg.length);
    if (count < b->pair_count)
        text_addf(out,
                  "<p class=\"note\">%" PRId64 " of %" PRId64
                  " lines are drawn; between.json has all.</p>\n",
                  count, b->pair_count);
    figure_release(&f);
    for (int64_t i = 0; i < count; i++)
        mem_free(names[i]);
    mem_free(names);
    mem_free(points);
    mem_free(curves);
}

static void add_matrix(const struct barriers *b, struct text *out)
{
    const int64_t n = b->model_count;
    struct table t = {.id = "barriers"};

    table_column(&t, mem_text("model"), false);
    for (int64_t i = 0; i < n; i++)
        table_column(&t, mem_text(b->names[i]), true);
    for (int64_t i = 0; i < n; i++) {
        table_row(&t, TABLE_PLAIN);
        table_put(&t, mem_text(b->names[i]));
        for (int64_t j = 0; j < n; j++) {
            const double value = b->matrix[i * n + j];

            table_put_number(&t, isnan(value) ? NULL : text_fixed(value, 4), value);
        }
    }
    table_html(&t, out);
    table_release(&t);
}

enum status barriers_page_write(const struct barriers *b, const char *path)
{
    struct text out = {0};

    html_head(&out, "Loss between models", (const struct asset *const[]){NULL});
    text_add(&out, "<p class=\"summary\">");
    html_textf(&out, "Loss on %s, at %" PRId64 " points of each line", b->data, b->points);
    text_add(&out, "</p>\n</header>\n<main>\n<section>\n<h2>Lines</h2>\n");
    if (b->recalibrated > 0)
        text_addf(
            &out,
            "<p class=\"note\">BatchNorm's statistics are measured again at every point, with "
            "%d batches.</p>\n",
            b->recalibrated);
    text_add(&out, "<div class=\"scroll\">");
    add_lines(b, &out);
    text_add(&out, "</div>\n</section>\n<section>\n<h2>Barriers</h2>\n"
                   "<p class=\"note\">How far the loss rises on the line between two models above "
                   "the straight line between their losses.</p>\n");
    add_matrix(b, &out);
    text_add(&out, "</section>\n</main>\n</body>\n</html>\n");
    const enum status s = file_write_text(path, text_get(&out));
    text_release(&out);
    return s;
}
