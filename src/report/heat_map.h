/*
 * heat_map.h - draws a matrix as cells whose colour is the stronger the larger the value, with
 * names of rows and columns and, where there is room, a number in each cell.
 *
 * Of a matrix with more than HEAT_MAP_CELLS rows or columns a cell shows the mean of a block.
 */
#ifndef REPORT_HEAT_MAP_H
#define REPORT_HEAT_MAP_H

#include "report/svg.h"

enum { HEAT_MAP_CELLS = 128 };

struct heat_map {
    const char *title; /* for screen readers */
    int64_t rows, columns;
    const double *shades;      /* [rows][columns] in [0, 1]; NaN: left open */
    const int64_t *counts;     /* [rows][columns] to be written; NULL: none */
    const char *const *labels; /* the same as texts, of a small matrix; NULL: none, as is a NULL */
    bool has_mark;             /* a cell of a small matrix has a frame: */
    int64_t marked;            /* row * columns + column */
    const char *const *row_names, *const *column_names; /* NULL: they are numbered */
    const char *row_title, *column_title;
    const char *low, *high; /* what the weakest and the strongest colour mean */
};

void heat_map_draw(const struct heat_map *m, struct text *svg);

/* How many rows (columns) of the matrix a cell shows. */
int64_t heat_map_block(int64_t count);

#endif
