/*
 * legend.h - the legend of a plot: patches or lines with their names, in rows.
 */
#ifndef REPORT_LEGEND_H
#define REPORT_LEGEND_H

#include "report/svg.h"

struct legend_entry {
    const char *name;
    enum svg_colour colour;
    bool is_line;
    const char *dash; /* of a line; NULL: none */
};

struct legend {
    const struct legend_entry *entries;
    int64_t count;
    double x, y, width; /* y: the top of the first row */
};

enum { LEGEND_ROW = 18 };

double legend_height(const struct legend *l); /* 0 without entries */
void legend_draw(const struct legend *l, struct svg *s);

#endif
