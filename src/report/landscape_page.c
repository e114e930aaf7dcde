/*
 * landscape_page.c - see landscape_page.h. The numbers are data; the script draws them. As in the
 * report, a content security policy allows that script alone, and no network.
 */
#include "report/landscape_page.h"

#include <inttypes.h>
#include <math.h>

#include "base/file.h"
#include "report/assets.h"
#include "report/html.h"

static void add_note(const struct landscape *l, struct text *out)
{
    text_add(out, "<p class=\"note\" id=\"about\">");
    if (isnan(l->explained[0]))
        text_add(out, "The plane goes through the last snapshot, along two random directions. ");
    else
        html_textf(out,
                   "The plane has most of the variance of all snapshots (PCA): %.2f %% of it, "
                   "%.2f %% along x and %.2f %% along y. ",
                   100 * (l->explained[0] + l->explained[1]), 100 * l->explained[0],
                   100 * l->explained[1]);
    text_add(out, "Paths are projections on this plane; the loss of a snapshot and that of its "
                  "projection are compared below. ");
    if (l->recalibrated > 0)
        html_textf(out,
                   "BatchNorm's statistics are measured again at every point, with %d batches. ",
                   l->recalibrated);
    text_add(out, "</p>\n");
}

static void add_body(const struct landscape *l, const struct table *table, struct text *out)
{
    text_add(out, "<p class=\"summary\">");
    html_textf(out, "Loss on %s, on a grid of %" PRId64 " x %" PRId64 " points", l->data, l->grid,
               l->grid);
    text_add(out, "</p>\n</header>\n<main>\n");
    text_add(out, "<section id=\"answer\">\n<h2>Runs</h2>\n");
    table_html(table, out);
    text_add(out, "</section>\n<section id=\"plane\">\n<h2>Plane</h2>\n");
    add_note(l, out);
    text_add(out,
             "<div id=\"legend\"></div>\n</section>\n"
             "<section id=\"surface\">\n<h2>Surface</h2>\n<div id=\"surface-view\"></div>\n"
             "</section>\n<section id=\"contours\">\n<h2>Contours</h2>\n"
             "<div id=\"contour-view\"></div>\n</section>\n<section id=\"paths\">\n"
             "<h2>Loss along the paths</h2>\n<div id=\"path-view\"></div>\n</section>\n</main>\n");
}

static const struct asset *const scripts[] = {&asset_landscape_script, NULL};

enum status landscape_page_write(const struct landscape *l, const struct table *table,
                                 const char *path)
{
    struct text out = {0}, data = {0};
    struct json j;

    json_init(&j, &data);
    landscape_to_json(l, &j, NULL);
    html_head(&out, l->title, scripts);
    add_body(l, table, &out);
    html_end(&out, &data, scripts);
    const enum status s = file_write_text(path, text_get(&out));
    text_release(&data);
    text_release(&out);
    return s;
}
