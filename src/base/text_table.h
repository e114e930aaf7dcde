/*
 * text_table.h - a table of strings for people to read.
 */
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H

#include "base/text.h"

struct text_table {
    int64_t rows, columns;
    char **cells;  /* [rows][columns]; NULL: empty */
    bool *is_left; /* [columns]: names stand left, numbers right */
};

struct text_table text_table_new(int64_t rows, int64_t columns);
void text_table_free(struct text_table *g);
void text_table_put(struct text_table *g, int64_t row, int64_t column,
                    char *text); /* takes the text */
void text_table_write(const struct text_table *g, struct text *out);

#endif
