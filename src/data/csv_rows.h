/*
 * csv_rows.h - the rows of a table as samples: floats, and a word or floats to predict.
 */
#ifndef DATA_CSV_ROWS_H
#define DATA_CSV_ROWS_H

#include "data/csv_columns.h"

struct csv_rows {
    int64_t count;
    float *values;  /* [count][inputs] */
    float *targets; /* [count][targets], or NULL */
    char **words;   /* [count] the classes, or NULL */
    int64_t *lines; /* [count] of the file, from 1 */
};

/* All rows that follow. Fails with file, line and column; then r is to be released. */
enum status csv_rows_read(struct csv_rows *r, struct csv *c, const struct csv_columns *x);
void csv_rows_release(struct csv_rows *r);

#endif
