/*
 * grid.h - a table of strings for people to read.
 */
#ifndef STUDY_GRID_H
#define STUDY_GRID_H

#include "base/text.h"

struct grid {
    int64_t rows, columns;
    char **cells;  /* [rows][columns]; NULL: empty */
    bool *is_left; /* [columns]: names stand left, numbers right */
};

struct grid grid_new(int64_t rows, int64_t columns);
void grid_free(struct grid *g);
void grid_put(struct grid *g, int64_t row, int64_t column, char *text); /* takes the text */
void grid_write(const struct grid *g, struct text *out);

#endif
