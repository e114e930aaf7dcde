/*
 * map_robots.c - see map_robots.h. Places are those of scans.jsonl; of runs without this file they
 * are those of the graph.
 */
#include "report/figures/map_robots.h"

#include <inttypes.h>

#include "base/mem.h"

/* What is drawn where. */
struct robots_drawing {
    struct svg *svg;
    const struct map_mesh *mesh;
    struct svg_box box;
    const struct record *record;
};

/* --- places --- */

static int64_t row_count(const struct record *r)
{
    return r->scans.count > 0 ? r->scans.count : r->graph.count;
}

/* Of all robots in this row; NULL: not known. */
static const double *positions_in(const struct record *r, int64_t row)
{
    return r->scans.count > 0 ? r->scans.items[row].positions : r->graph.items[row].positions;
}

static int64_t robots_in(const struct record *r, int64_t row)
{
    return r->scans.count > 0 ? r->scans.items[row].robots : r->graph.items[row].nodes;
}

static const double *last_positions(const struct record *r)
{
    return row_count(r) == 0 ? NULL : positions_in(r, row_count(r) - 1);
}

static struct svg_point place_of(const struct robots_drawing *d, const double *xy)
{
    const double column = (xy[0] - d->mesh->left) / d->mesh->step_x + 0.5;
    const double line = (xy[1] - d->mesh->top) / d->mesh->step_y + 0.5;

    return (struct svg_point){d->box.x + column * d->box.width / (double)d->mesh->width,
                              d->box.y + line * d->box.height / (double)d->mesh->height};
}

/* --- drawing --- */

static void draw_path(const struct robots_drawing *d, int64_t robot)
{
    struct text path = {0};

    for (int64_t i = 0; i < row_count(d->record); i++)
        if (positions_in(d->record, i) != NULL && robot < robots_in(d->record, i))
            svg_path_to(&path, path.length == 0 ? 'M' : 'L',
                        place_of(d, positions_in(d->record, i) + 2 * robot));
    if (path.length > 0)
        svg_path(d->svg, text_get(&path),
                 &(struct svg_look){.fill = SVG_NONE,
                                    .stroke = svg_fill(robot),
                                    .stroke_width = 1.2,
                                    .opacity = 0.6,
                                    .name = "robot-path"});
    text_release(&path);
}

static void draw_beams(const struct robots_drawing *d, const struct scan_row *row, int64_t robot)
{
    const struct svg_point from = place_of(d, row->positions + 2 * robot);
    struct text path = {0};

    for (int64_t b = 0; b < row->beams; b++) {
        svg_path_to(&path, 'M', from);
        svg_path_to(&path, 'L', place_of(d, row->ends + 2 * (robot * row->beams + b)));
    }
    if (path.length > 0)
        svg_path(d->svg, text_get(&path),
                 &(struct svg_look){.fill = SVG_NONE,
                                    .stroke = svg_fill(robot),
                                    .stroke_width = 0.7,
                                    .opacity = 0.8,
                                    .name = "robot-beams"});
    text_release(&path);
}

static void draw_links(const struct robots_drawing *d, const double *positions, int64_t robots)
{
    const struct graph_rows *g = &d->record->graph;
    const struct graph_row *row = g->count > 0 ? &g->items[g->count - 1] : NULL;

    for (int64_t e = 0; row != NULL && row->nodes == robots && e < row->edge_count; e++)
        svg_line(d->svg, place_of(d, positions + 2 * row->edges[2 * e]),
                 place_of(d, positions + 2 * row->edges[2 * e + 1]),
                 &(struct svg_look){.stroke = SVG_INK, .stroke_width = 1.6, .name = "robot-link"});
}

static void draw_dot(const struct robots_drawing *d, const double *positions, int64_t robot)
{
    char *tooltip = text_format("robot %" PRId64, robot);

    svg_circle_about(
        d->svg, place_of(d, positions + 2 * robot), 4,
        &(struct svg_look){
            .fill = svg_fill(robot), .stroke = SVG_PAPER, .stroke_width = 1, .name = "robot"},
        tooltip);
    mem_free(tooltip);
}

void map_robots_draw(struct svg *s, const struct map_mesh *mesh, struct svg_box box,
                     const struct record *r)
{
    const struct robots_drawing d = {s, mesh, box, r};
    const double *positions = last_positions(r);
    const struct scan_row *scan = r->scans.count > 0 ? &r->scans.items[r->scans.count - 1] : NULL;

    if (positions == NULL)
        return;
    const int64_t robots = robots_in(r, row_count(r) - 1);
    for (int64_t i = 0; scan != NULL && i < scan->scanned; i++)
        draw_beams(&d, scan, i);
    for (int64_t i = 0; i < robots; i++)
        draw_path(&d, i);
    draw_links(&d, positions, robots);
    for (int64_t i = 0; i < robots; i++)
        draw_dot(&d, positions, i);
}

void map_robots_add_caption(const struct record *r, struct text *caption)
{
    if (last_positions(r) == NULL)
        return;
    text_addf(caption, " The plan has the robots at their last places, %swith their paths%s.",
              r->scans.count > 0 ? "each with the beams of a scan there, " : "",
              r->graph.count > 0 ? " and, as thick lines, their links" : "");
}
