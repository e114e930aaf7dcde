/*
 * graph_drawing.h - draws nodes and links. Of `muster graph --svg` and of the report.
 */
#ifndef REPORT_GRAPH_DRAWING_H
#define REPORT_GRAPH_DRAWING_H

#include "report/graph_layout.h"

struct graph_drawing {
    const struct graph_row *graph;
    const double *strengths; /* [edge_count] in [0, 1]: how thick; NULL: all alike */
    const double *shades; /* [nodes] in [0, 1]: how strong the colour, NaN: none; NULL: all alike */
    const char *const *tooltips; /* [nodes]; NULL: none */
    struct svg_box box;          /* nodes and links are within it */
};

void graph_drawing_draw(const struct graph_drawing *d, struct svg *s);

#endif
