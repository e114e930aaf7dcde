/*
 * graph_forces.c - a layout by forces (Fruchterman and Reingold, 1991): linked nodes attract each
 * other, all nodes repel each other, and steps become smaller.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/graph_layout.h"

#define PULL 0.012

enum { STEPS = 300, SWEEPS = 200 };

/* Radians between one node and the next of a spiral whose nodes lie evenly. */
#define GOLDEN_ANGLE 2.39996322972865332

static struct svg_point on_spiral(int64_t i, double radius)
{
    const double r = radius * sqrt((double)i + 0.5), angle = GOLDEN_ANGLE * (double)i;

    return (struct svg_point){r * cos(angle), r * sin(angle)};
}

/* A push of a away from b, and the reverse of it on b; `strength` at a distance. */
static void add_force(struct svg_point *forces, const struct svg_point *points,
                      const int64_t pair[2], double strength)
{
    const struct svg_point a = points[pair[0]], b = points[pair[1]];
    const double dx = a.x - b.x, dy = a.y - b.y, length = fmax(sqrt(dx * dx + dy * dy), 1e-6);

    forces[pair[0]].x += strength * dx / length;
    forces[pair[0]].y += strength * dy / length;
    forces[pair[1]].x -= strength * dx / length;
    forces[pair[1]].y -= strength * dy / length;
}

static double distance(const struct svg_point *points, int64_t a, int64_t b)
{
    const double dx = points[a].x - points[b].x, dy = points[a].y - points[b].y;

    return sqrt(dx * dx + dy * dy);
}

static void sum_forces(struct svg_point *forces, const struct svg_point *points,
                       const struct graph_row *g, double apart)
{
    memset(forces, 0, (size_t)g->nodes * sizeof *forces);
    for (int64_t i = 0; i < g->nodes; i++) {
        for (int64_t j = i + 1; j < g->nodes; j++) {
            const double d = fmax(distance(points, i, j), 1e-3 * apart);

            add_force(forces, points, (const int64_t[2]){i, j}, apart * apart / d);
        }
        /* A pull to the middle keeps parts together that are not linked. */
        forces[i].x -= PULL * (double)g->nodes * points[i].x;
        forces[i].y -= PULL * (double)g->nodes * points[i].y;
    }
    for (int64_t e = 0; e < g->edge_count; e++) {
        const double d = distance(points, g->edges[2 * e], g->edges[2 * e + 1]);

        add_force(forces, points, &g->edges[2 * e], -d * d / apart);
    }
}

void graph_layout_relax(struct svg_point *points, const struct graph_row *graph, double side)
{
    const double apart = side / sqrt((double)graph->nodes);
    struct svg_point *forces = MEM_NEW_N(struct svg_point, graph->nodes);

    for (int64_t i = 0; i < graph->nodes; i++)
        points[i] = on_spiral(i, apart / 2);
    for (int step = 0; step < STEPS; step++) {
        const double most = 0.1 * side * (1 - (double)step / STEPS);

        sum_forces(forces, points, graph, apart);
        for (int64_t i = 0; i < graph->nodes; i++) {
            const double length = sqrt(forces[i].x * forces[i].x + forces[i].y * forces[i].y);
            const double part = length > most ? most / length : 1;

            points[i].x += part * forces[i].x;
            points[i].y += part * forces[i].y;
        }
    }
    mem_free(forces);
}

/* --- moving apart --- */

struct placed {
    double x;
    int64_t node;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

static bool push(struct svg_point *points, int64_t a, int64_t b, double apart)
{
    double dx = points[b].x - points[a].x, dy = points[b].y - points[a].y;
    double d = sqrt(dx * dx + dy * dy);

    if (d >= apart)
        return false;
    if (d < 1e-3 * apart) { /* at one place: a direction of their own */
        const struct svg_point turn = on_spiral(a + b, 1);

        d = sqrt(turn.x * turn.x + turn.y * turn.y);
        dx = turn.x;
        dy = turn.y;
    }
    const double half = (apart - fmin(d, apart) + 0.01 * apart) / 2;
    points[a].x -= half * dx / d;
    points[a].y -= half * dy / d;
    points[b].x += half * dx / d;
    points[b].y += half * dy / d;
    return true;
}

/* Nodes are compared with those that are not farther to the right. */
static bool push_all(struct svg_point *points, int64_t nodes, double apart, struct placed *order)
{
    bool has_moved = false;

    for (int64_t i = 0; i < nodes; i++)
        order[i] = (struct placed){points[i].x, i};
    qsort(order, (size_t)nodes, sizeof *order, compare_placed);
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t j = i + 1; j < nodes && order[j].x - order[i].x < apart; j++)
            has_moved |= push(points, order[i].node, order[j].node, apart);
    return has_moved;
}

void graph_layout_separate(struct svg_point *points, int64_t nodes, double apart,
                           struct svg_box box)
{
    struct placed *order = MEM_NEW_N(struct placed, nodes);

    for (int sweep = 0; sweep < SWEEPS && push_all(points, nodes, apart, order); sweep++) {
        for (int64_t i = 0; i < nodes; i++) {
            points[i].x = fmin(fmax(points[i].x, box.x), box.x + box.width);
            points[i].y = fmin(fmax(points[i].y, box.y), box.y + box.height);
        }
    }
    mem_free(order);
}
