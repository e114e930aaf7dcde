/*
 * graph_drawing.c - links first, nodes over them, numbers in the nodes that have room.
 */
#include "report/graph_drawing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { FAINT_FROM = 300 };

#define MARGIN    20.0 /* for nodes at the rim, and links around them */
#define NUMBER_AT 6.5  /* from this radius on nodes are numbered */

/* A link between two nodes, as it is drawn. */
struct link {
    struct svg_point a, b; /* the middles of the nodes */
    double width;
};

/* --- links --- */

/* A line from rim to rim. */
static void draw_straight(const struct link *k, double radius, struct svg *s)
{
    const double dx = k->b.x - k->a.x, dy = k->b.y - k->a.y;
    const double length = sqrt(dx * dx + dy * dy), gap = radius + 1;

    if (length <= 2 * gap)
        return;
    const double ux = dx / length * gap, uy = dy / length * gap;
    svg_line(s, (struct svg_point){k->a.x + ux, k->a.y + uy},
             (struct svg_point){k->b.x - ux, k->b.y - uy},
             &(struct svg_look){.stroke_width = k->width, .name = "link"});
}

static void add_point(struct text *path, double x, double y)
{
    svg_path_to(path, ' ', (struct svg_point){x, y});
}

/* Around the nodes between both ends: above a row of the grid, to the right of a column. */
static void draw_around(const struct link *k, double step, struct svg *s)
{
    const bool is_row = k->a.y == k->b.y;
    const struct svg_point a = k->a.x + k->a.y < k->b.x + k->b.y ? k->a : k->b;
    const struct svg_point b = a.x == k->a.x && a.y == k->a.y ? k->b : k->a;
    const double out = 0.6 * step, in = 0.3 * step;
    struct text path = {0};

    svg_path_to(&path, 'M', a);
    text_add(&path, "C");
    add_point(&path, a.x + (is_row ? in : out), a.y + (is_row ? -out : in));
    add_point(&path, b.x + (is_row ? -in : out), b.y + (is_row ? -out : -in));
    add_point(&path, b.x, b.y);
    svg_path(s, text_get(&path),
             &(struct svg_look){.fill = SVG_NONE, .stroke_width = k->width, .name = "link"});
    text_release(&path);
}

/* Whether a link of a grid joins opposite edges, over more than one step. */
static bool is_around(const struct graph_layout *l, int64_t a, int64_t b)
{
    return l->columns > 0 && (llabs(a % l->columns - b % l->columns) > 1 ||
                              llabs(a / l->columns - b / l->columns) > 1);
}

static void draw_tip(const struct link *k, double radius, struct svg *s)
{
    const double dx = k->b.x - k->a.x, dy = k->b.y - k->a.y, length = sqrt(dx * dx + dy * dy);
    const double size = fmin(fmax(0.7 * radius, 3), 10), gap = radius + 1;
    struct text path = {0};

    if (length <= 2 * gap + size)
        return;
    const double ux = dx / length, uy = dy / length;
    const struct svg_point at = {k->b.x - ux * gap, k->b.y - uy * gap};
    svg_path_to(&path, 'M', at);
    svg_path_to(&path, 'l', (struct svg_point){-size * (ux - 0.45 * uy), -size * (uy + 0.45 * ux)});
    svg_path_to(&path, 'l', (struct svg_point){-size * 0.9 * uy, size * 0.9 * ux});
    text_add(&path, "z");
    svg_path(s, text_get(&path),
             &(struct svg_look){.fill = SVG_FAINT, .stroke = SVG_NONE, .name = "tip"});
    text_release(&path);
}

static void draw_links(const struct graph_drawing *d, const struct graph_layout *l, struct svg *s)
{
    const struct graph_row *g = d->graph;
    const double many = (double)g->edge_count / FAINT_FROM;
    const double thick = many > 1 ? 1.2 : 3;
    const double step =
        l->columns > 0 ? hypot(l->points[1].x - l->points[0].x, l->points[1].y - l->points[0].y)
                       : 0;

    svg_group(s, &(struct svg_look){.stroke = SVG_FAINT,
                                    .opacity = many > 1 ? fmax(0.12, 0.7 / many) : 0.7});
    for (int64_t e = 0; e < g->edge_count; e++) {
        const int64_t a = g->edges[2 * e], b = g->edges[2 * e + 1];
        const double strength = d->strengths == NULL ? 0.5 : d->strengths[e];
        const struct link link = {l->points[a], l->points[b], fmax(strength * thick, 0.4)};

        if (is_around(l, a, b))
            draw_around(&link, step, s);
        else
            draw_straight(&link, l->radius, s);
        if (g->is_directed)
            draw_tip(&link, l->radius, s);
    }
    svg_group_end(s);
}

/* --- nodes --- */

/* The colour of values, over nodes that are paper. */
static void draw_shades(const struct graph_drawing *d, const struct graph_layout *l, struct svg *s)
{
    svg_group(s, &(struct svg_look){.fill = SVG_HEAT});
    for (int64_t i = 0; i < d->graph->nodes; i++)
        if (isfinite(d->shades[i]) && d->shades[i] > 0)
            svg_circle_about(s, l->points[i], l->radius,
                             &(struct svg_look){.opacity = fmin(d->shades[i], 1)},
                             d->tooltips == NULL ? NULL : d->tooltips[i]);
    svg_group_end(s);
}

static void draw_number(const struct graph_drawing *d, const struct graph_layout *l, int64_t i,
                        struct svg *s)
{
    const bool is_pale = d->shades != NULL && !(d->shades[i] > 0.6);
    char *number = text_format("%" PRId64, i);
    const double size = fmin(0.95 * l->radius, 1.7 * l->radius / svg_text_width(number, 1));

    svg_text(s,
             &(struct svg_label){.x = l->points[i].x,
                                 .y = l->points[i].y + 0.35 * size,
                                 .size = size,
                                 .anchor = SVG_MIDDLE,
                                 .colour = is_pale ? SVG_INK : SVG_PAPER},
             number);
    mem_free(number);
}

static void draw_nodes(const struct graph_drawing *d, const struct graph_layout *l, struct svg *s)
{
    const struct graph_row *g = d->graph;
    bool *is_linked = MEM_NEW_N(bool, g->nodes);

    for (int64_t e = 0; e < 2 * g->edge_count; e++)
        is_linked[g->edges[e]] = true;
    svg_group(s, &(struct svg_look){.fill = d->shades == NULL ? SVG_ACCENT : SVG_PAPER,
                                    .stroke = d->shades == NULL ? SVG_PAPER : SVG_FAINT,
                                    .stroke_width = l->radius > 5 ? 1.2 : 0.6});
    for (int64_t i = 0; i < g->nodes; i++)
        svg_circle_about(
            s, l->points[i], l->radius,
            &(struct svg_look){
                .fill = !is_linked[i] && g->nodes > 1 && d->shades == NULL ? SVG_WARN : SVG_INHERIT,
                .name = "node"},
            d->tooltips == NULL ? NULL : d->tooltips[i]);
    svg_group_end(s);
    if (d->shades != NULL)
        draw_shades(d, l, s);
    for (int64_t i = 0; i < g->nodes && l->radius >= NUMBER_AT; i++)
        draw_number(d, l, i, s);
    mem_free(is_linked);
}

void graph_drawing_draw(const struct graph_drawing *d, struct svg *s)
{
    const struct svg_box inner = {d->box.x + MARGIN, d->box.y + MARGIN, d->box.width - 2 * MARGIN,
                                  d->box.height - 2 * MARGIN};
    struct graph_layout l;

    graph_layout_init(&l, d->graph, inner);
    draw_links(d, &l, s);
    draw_nodes(d, &l, s);
    graph_layout_release(&l);
}
