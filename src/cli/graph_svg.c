/*
 * graph_svg.c - a graph as a drawing: nodes on a circle, or where their positions are; links as
 * thick as their weights.
 *
 * A node that alone is linked to all others stands in the middle. The colours follow the viewer's
 * light or dark scheme; the ground stays open.
 */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "cli/graph.h"

#define PI 3.14159265358979323846

#define SIDE   640.0
#define TOP    58.0 /* for the two lines of text */
#define MARGIN 34.0

enum { LABELS_MAX = 100, FAINT_FROM = 300 };

/* Where the nodes are drawn, and how large. */
struct layout {
    struct position *positions; /* [nodes] */
    double radius;
};

static const char head[] = "<style>\n"
                           "  svg { color-scheme: light dark; }\n"
                           "  .link { stroke: #7a8ca3; fill: none; stroke-linecap: round; }\n"
                           "  .tip { fill: #5f7189; }\n"
                           "  .node { fill: #2563a8; stroke: #ffffff; stroke-width: 1.5; }\n"
                           "  .alone { fill: #b4452f; }\n"
                           "  .number { fill: #ffffff; text-anchor: middle; }\n"
                           "  .title { fill: #1c2733; font-size: 18px; font-weight: 600; }\n"
                           "  .about { fill: #55657a; font-size: 13px; }\n"
                           "  text { font-family: system-ui, sans-serif; }\n"
                           "  @media (prefers-color-scheme: dark) {\n"
                           "    .link { stroke: #7f93ad; }\n"
                           "    .tip { fill: #9db0c8; }\n"
                           "    .node { fill: #6db1f2; stroke: #10161d; }\n"
                           "    .alone { fill: #f08a6c; }\n"
                           "    .number { fill: #10161d; }\n"
                           "    .title { fill: #e8eef5; }\n"
                           "    .about { fill: #a3b3c6; }\n"
                           "  }\n"
                           "</style>\n";

/* --- where the nodes are --- */

/* The only node that is linked to all others, of four at least; or -1. */
static int find_hub(const struct graph *g)
{
    int hub = -1;

    for (int i = 0; i < g->nodes && g->nodes >= 4 && !g->is_directed; i++) {
        if (graph_out_degree(g, i) < g->nodes - 1)
            continue;
        if (hub >= 0)
            return -1;
        hub = i;
    }
    return hub;
}

static void place_on_circle(const struct graph *g, struct position *positions)
{
    const int hub = find_hub(g), around = g->nodes - (hub >= 0);
    const double radius = g->nodes == 1 ? 0 : (SIDE - 2 * MARGIN) / 2;
    int at = 0;

    for (int i = 0; i < g->nodes; i++) {
        const double angle = 2 * PI * at / around - PI / 2;
        const double r = i == hub ? 0 : radius;

        at += i != hub;
        positions[i] = (struct position){
            .x = SIDE / 2 + r * cos(angle),
            .y = TOP + SIDE / 2 + r * sin(angle),
        };
    }
}

/* Scaled alike in both directions; the second coordinate goes up. */
static void place_as_given(const struct graph *g, struct position *positions)
{
    struct position low = g->positions[0], high = g->positions[0];

    for (int i = 1; i < g->nodes; i++) {
        low.x = fmin(low.x, g->positions[i].x);
        low.y = fmin(low.y, g->positions[i].y);
        high.x = fmax(high.x, g->positions[i].x);
        high.y = fmax(high.y, g->positions[i].y);
    }
    const double extent = fmax(high.x - low.x, high.y - low.y);
    const double scale = extent > 0 ? (SIDE - 2 * MARGIN) / extent : 0;
    for (int i = 0; i < g->nodes; i++)
        positions[i] = (struct position){
            .x = SIDE / 2 + scale * (g->positions[i].x - (low.x + high.x) / 2),
            .y = TOP + SIDE / 2 - scale * (g->positions[i].y - (low.y + high.y) / 2),
        };
}

static struct layout make_layout(const struct graph *g)
{
    const double apart = PI * (SIDE - 2 * MARGIN) / g->nodes;
    const double most = g->positions != NULL ? 11 : 17; /* positions may be near each other */
    struct layout l = {
        .positions = MEM_NEW_N(struct position, g->nodes),
        .radius = fmin(fmax(0.3 * apart, 3), most),
    };

    (g->positions != NULL ? place_as_given : place_on_circle)(g, l.positions);
    return l;
}

/* --- drawing --- */

static void add_header(struct text *out, const struct graph_view *v)
{
    const struct graph *g = v->graph;
    const bool is_directed = topology_is_directed(v->topology);
    const char *rule = is_directed ? "shares" : weight_rule_names[v->choice->options.weights];

    text_addf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
              "height=\"%g\" role=\"img\">\n<title>%s, %d nodes</title>\n%s",
              SIDE, SIDE + TOP, SIDE, SIDE + TOP, v->choice->type.entry->name, g->nodes, head);
    text_addf(out, "<text class=\"title\" x=\"20\" y=\"28\">%s</text>\n",
              v->choice->type.entry->name);
    text_addf(out, "<text class=\"about\" x=\"20\" y=\"48\">%d nodes, %" PRId64 " %s", g->nodes,
              graph_edge_count(g), is_directed ? "links" : "edges");
    if (topology_changes(v->topology))
        text_addf(out, ", round %" PRId64, v->round);
    if (!isnan(v->fiedler))
        text_addf(out, "; Fiedler value %.4g", v->fiedler);
    text_addf(out, "; spectral gap %.4g (%s)</text>\n", v->gaps[v->choice->options.weights], rule);
}

/* A line from rim to rim, with a tip where links have directions. */
static void add_link(struct text *out, const struct layout *l, int from, int to, double width)
{
    const struct position a = l->positions[from], b = l->positions[to];
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double length = sqrt(dx * dx + dy * dy), gap = l->radius + 1.5;

    if (length <= 2 * gap)
        return;
    text_addf(out, "<line class=\"link\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"",
              a.x + dx / length * gap, a.y + dy / length * gap, b.x - dx / length * gap,
              b.y - dy / length * gap);
    text_addf(out, " stroke-width=\"%.2f\"/>\n", width);
}

static void add_tip(struct text *out, const struct layout *l, int from, int to)
{
    const struct position a = l->positions[from], b = l->positions[to];
    const double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy);
    const double size = fmin(fmax(0.7 * l->radius, 3), 10), gap = l->radius + 1;

    if (length <= 2 * gap + size)
        return;
    const double ux = dx / length, uy = dy / length;
    const double x = b.x - ux * gap, y = b.y - uy * gap;
    text_addf(out, "<path class=\"tip\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", x, y,
              x - size * (ux - 0.45 * uy), y - size * (uy + 0.45 * ux), x - size * (ux + 0.45 * uy),
              y - size * (uy - 0.45 * ux));
}

static double largest_weight(const struct graph_view *v)
{
    double largest = 0;

    for (int i = 0; i < v->graph->nodes; i++) {
        struct neighbourhood n;

        topology_neighbourhood(v->topology, v->round, i, &n);
        for (int k = 0; k < n.in_count; k++)
            largest = fmax(largest, n.weights[k]);
    }
    return largest;
}

static void add_links(struct text *out, const struct graph_view *v, const struct layout *l)
{
    const struct graph *g = v->graph;
    const int64_t count = graph_edge_count(g);
    const double largest = largest_weight(v);
    const double thick = count > FAINT_FROM ? 1.2 : 3;
    const double opacity = count > FAINT_FROM ? fmax(0.12, 0.8 * FAINT_FROM / (double)count) : 0.8;

    text_addf(out, "<g opacity=\"%.2f\">\n", opacity);
    for (int i = 0; i < g->nodes; i++) {
        struct neighbourhood n;

        topology_neighbourhood(v->topology, v->round, i, &n);
        for (int k = 0; k < n.in_count; k++) {
            const double part = largest > 0 ? n.weights[k] / largest : 0;

            if (!g->is_directed && n.in[k] > i)
                continue;
            add_link(out, l, n.in[k], i, fmax(part * thick, 0.4));
            if (g->is_directed)
                add_tip(out, l, n.in[k], i);
        }
    }
    text_add(out, "</g>\n");
}

static void add_nodes(struct text *out, const struct graph *g, const struct layout *l)
{
    for (int i = 0; i < g->nodes; i++) {
        const bool is_alone = graph_out_degree(g, i) + graph_in_degree(g, i) == 0 && g->nodes > 1;

        text_addf(out, "<circle class=\"node%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n",
                  is_alone ? " alone" : "", l->positions[i].x, l->positions[i].y, l->radius);
        if (g->nodes <= LABELS_MAX)
            text_addf(out,
                      "<text class=\"number\" x=\"%.1f\" y=\"%.1f\" dy=\"0.35em\" "
                      "font-size=\"%.1f\">%d</text>\n",
                      l->positions[i].x, l->positions[i].y, 0.95 * l->radius, i);
    }
}

void graph_svg(struct text *out, const struct graph_view *v)
{
    struct layout l = make_layout(v->graph);

    add_header(out, v);
    add_links(out, v, &l);
    add_nodes(out, v->graph, &l);
    text_add(out, "</svg>\n");
    mem_free(l.positions);
}
