/*
 * graph_layout.c - finds what kind of graph it is, and places its nodes.
 *
 * The kind is read off the links, not the name: a run says the name of the first graph only.
 */
#include "report/graph_layout.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define PI 3.14159265358979323846

#define RADIUS_MAX 16.0
#define RADIUS_MIN 2.0

enum { RELAXED_NODES_MAX = 1000 };

/* The only node that is linked to all others, of four at least; or -1. */
static int64_t find_hub(const struct graph_row *g)
{
    int64_t *degrees = MEM_NEW_N(int64_t, g->nodes);
    int64_t hub = -1, hubs = 0;

    for (int64_t e = 0; e < 2 * g->edge_count; e++)
        degrees[g->edges[e]]++;
    for (int64_t i = 0; i < g->nodes; i++) {
        if (degrees[i] == g->nodes - 1) {
            hub = i;
            hubs++;
        }
    }
    mem_free(degrees);
    return hubs == 1 && g->nodes >= 4 && !g->is_directed ? hub : -1;
}

static bool is_right_or_below(int64_t a, int64_t b, int64_t columns, int64_t nodes)
{
    return b == a / columns * columns + (a + 1) % columns || b == (a + columns) % nodes;
}

/* The columns of a torus that is numbered row by row; 0: it is no torus. */
static int64_t find_torus(const struct graph_row *g)
{
    for (int64_t columns = 2; columns <= g->nodes / 2 && !g->is_directed; columns++) {
        const int64_t rows = g->nodes / columns;
        const int64_t links =
            (rows > 2 ? g->nodes : g->nodes / 2) + (columns > 2 ? g->nodes : g->nodes / 2);
        int64_t fitting = 0;

        if (g->nodes % columns != 0 || g->edge_count != links)
            continue;
        for (int64_t e = 0; e < links; e++) {
            const int64_t a = g->edges[2 * e], b = g->edges[2 * e + 1];

            fitting += is_right_or_below(a, b, columns, g->nodes) ||
                       is_right_or_below(b, a, columns, g->nodes);
        }
        if (fitting == links)
            return columns;
    }
    return 0;
}

/* lengths[nodes]: how many links go so far around the ring of all nodes. */
static void count_lengths(const struct graph_row *g, int64_t *lengths)
{
    for (int64_t e = 0; e < g->edge_count; e++) {
        const int64_t length = (g->edges[2 * e + 1] - g->edges[2 * e] + g->nodes) % g->nodes;

        lengths[length < g->nodes - length || g->is_directed ? length : g->nodes - length]++;
    }
}

/* Whether all nodes have links of the same lengths, or nearly all are linked to the next one, or
 * there are so many links that a circle shows them best. */
static bool is_like_ring(const struct graph_row *g)
{
    const int64_t n = g->nodes;
    int64_t *lengths = MEM_NEW_N(int64_t, n);
    bool is_even = true;

    count_lengths(g, lengths);
    for (int64_t k = 1; k < n; k++) {
        const int64_t whole = 2 * k == n && !g->is_directed ? n / 2 : n;

        is_even = is_even && (lengths[k] == 0 || lengths[k] == whole);
    }
    const bool has_ring = n < 3 || 5 * lengths[1] >= 3 * n;
    mem_free(lengths);
    return is_even || has_ring || 5 * g->edge_count >= 2 * n * (n - 1);
}

/* --- placing --- */

static struct svg_point middle_of(struct svg_box box)
{
    return (struct svg_point){box.x + box.width / 2, box.y + box.height / 2};
}

static void place_on_circle(struct graph_layout *l, int64_t hub, struct svg_box box)
{
    const struct svg_point middle = middle_of(box);
    const int64_t around = l->nodes - (hub >= 0);
    const double radius = l->nodes == 1 ? 0 : fmin(box.width, box.height) / 2;
    int64_t at = 0;

    for (int64_t i = 0; i < l->nodes; i++) {
        const double angle = 2 * PI * (double)at / (double)around - PI / 2;
        const double r = i == hub ? 0 : radius;

        at += i != hub;
        l->points[i] = (struct svg_point){middle.x + r * cos(angle), middle.y + r * sin(angle)};
    }
}

static void place_on_grid(struct graph_layout *l, struct svg_box box)
{
    const int64_t rows = l->nodes / l->columns;
    const int64_t most = rows > l->columns ? rows : l->columns;
    const double step = fmin(box.width, box.height) / ((double)most - 0.4);
    const struct svg_point middle = middle_of(box);

    for (int64_t i = 0; i < l->nodes; i++)
        l->points[i] = (struct svg_point){
            middle.x + ((double)(i % l->columns) - (double)(l->columns - 1) / 2) * step,
            middle.y + ((double)(i / l->columns) - (double)(rows - 1) / 2) * step,
        };
}

/* Scaled alike in both directions. */
static void fit_into(struct svg_point *points, int64_t nodes, struct svg_box box)
{
    const struct svg_point middle = middle_of(box);
    struct svg_point low = points[0], high = points[0];

    for (int64_t i = 1; i < nodes; i++) {
        low = (struct svg_point){fmin(low.x, points[i].x), fmin(low.y, points[i].y)};
        high = (struct svg_point){fmax(high.x, points[i].x), fmax(high.y, points[i].y)};
    }
    const double wide = high.x - low.x, tall = high.y - low.y;
    double scale = fmin(wide > 0 ? box.width / wide : (double)INFINITY,
                        tall > 0 ? box.height / tall : (double)INFINITY);
    scale = isfinite(scale) ? scale : 0;
    for (int64_t i = 0; i < nodes; i++)
        points[i] = (struct svg_point){
            middle.x + scale * (points[i].x - (low.x + high.x) / 2),
            middle.y + scale * (points[i].y - (low.y + high.y) / 2),
        };
}

/* The second coordinate goes up. What is not a number is at 0. */
static void place_as_given(struct graph_layout *l, const double *positions, struct svg_box box)
{
    for (int64_t i = 0; i < l->nodes; i++) {
        const double x = positions[2 * i], y = positions[2 * i + 1];

        l->points[i] = (struct svg_point){isfinite(x) ? x : 0, isfinite(y) ? -y : 0};
    }
    fit_into(l->points, l->nodes, box);
}

static void place_by_forces(struct graph_layout *l, const struct graph_row *graph,
                            struct svg_box box)
{
    graph_layout_relax(l->points, graph, fmin(box.width, box.height));
    fit_into(l->points, l->nodes, box);
}

/* --- sizes --- */

static int compare_x(const void *a, const void *b)
{
    const double x = ((const struct svg_point *)a)->x, y = ((const struct svg_point *)b)->x;

    return (x > y) - (x < y);
}

/* Between any two nodes. */
static double smallest_distance(const struct graph_layout *l, double most)
{
    struct svg_point *sorted = MEM_NEW_N(struct svg_point, l->nodes);
    double least = most;

    for (int64_t i = 0; i < l->nodes; i++)
        sorted[i] = l->points[i];
    qsort(sorted, (size_t)l->nodes, sizeof *sorted, compare_x);
    for (int64_t i = 0; i < l->nodes; i++) {
        for (int64_t j = i + 1; j < l->nodes && sorted[j].x - sorted[i].x < least; j++)
            least = fmin(least, hypot(sorted[j].x - sorted[i].x, sorted[j].y - sorted[i].y));
    }
    mem_free(sorted);
    return least;
}

static double wanted_radius(int64_t nodes, double side)
{
    return fmin(fmax(0.15 * side / sqrt((double)nodes), RADIUS_MIN), 13);
}

void graph_layout_init(struct graph_layout *l, const struct graph_row *graph, struct svg_box box)
{
    const double side = fmin(box.width, box.height);
    const int64_t hub = find_hub(graph);
    bool is_free = false; /* nodes may be anywhere, also near each other */

    *l = (struct graph_layout){.points = MEM_NEW_N(struct svg_point, graph->nodes),
                               .nodes = graph->nodes};
    if (graph->positions == NULL)
        l->columns = find_torus(graph);
    if (graph->positions != NULL) {
        place_as_given(l, graph->positions, box);
        is_free = true;
    } else if (l->columns > 0) {
        place_on_grid(l, box);
    } else if (hub >= 0 || graph->nodes > RELAXED_NODES_MAX || is_like_ring(graph)) {
        place_on_circle(l, hub, box);
    } else {
        place_by_forces(l, graph, box);
        is_free = true;
    }
    if (is_free)
        graph_layout_separate(l->points, l->nodes, 2.4 * wanted_radius(l->nodes, side), box);
    l->radius = fmin(0.4 * smallest_distance(l, 2.5 * RADIUS_MAX),
                     is_free ? 1.1 * wanted_radius(l->nodes, side) : RADIUS_MAX);
    if (l->columns > 0)
        l->radius = fmin(l->radius, 0.2 * smallest_distance(l, side));
}

void graph_layout_release(struct graph_layout *l)
{
    mem_free(l->points);
    *l = (struct graph_layout){0};
}
