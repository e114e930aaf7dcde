/*
 * graph_layout.h - where the nodes of a graph are drawn.
 *
 * Where they are by their positions; a torus as a grid; a ring and what is like it on a circle,
 * with a hub in the middle; else by forces: links pull, nodes push. The same graph always gives the
 * same layout. No two nodes overlap: those that are too near are moved apart.
 */
#ifndef REPORT_GRAPH_LAYOUT_H
#define REPORT_GRAPH_LAYOUT_H

#include "record/graph_rows.h"
#include "report/svg.h"

struct graph_layout {
    struct svg_point *points; /* [nodes] */
    int64_t nodes;
    double radius;   /* of a node */
    int64_t columns; /* of the grid of a torus; 0: it is no torus */
};

/* Nodes lie in the box as a whole. */
void graph_layout_init(struct graph_layout *l, const struct graph_row *graph, struct svg_box box);
void graph_layout_release(struct graph_layout *l);

/* For graph_layout.c: moves nodes by forces, and apart from each other (graph_forces.c). */
void graph_layout_relax(struct svg_point *points, const struct graph_row *graph, double side);
void graph_layout_separate(struct svg_point *points, int64_t nodes, double apart,
                           struct svg_box box);

#endif
