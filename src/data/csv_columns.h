/*
 * csv_columns.h - what each column of a table is for: an input, the class, a number to predict, or
 * nothing; and whether its first row is a header.
 */
#ifndef DATA_CSV_COLUMNS_H
#define DATA_CSV_COLUMNS_H

#include "format/csv.h"

enum csv_role { CSV_INPUT, CSV_LABEL, CSV_TARGET, CSV_IGNORED };
enum csv_header { CSV_HEADER_AUTO, CSV_HEADER_YES, CSV_HEADER_NO };

/* Columns by name or by number, counted from 1; lists have commas between them. */
struct csv_column_request {
    const char *label;   /* NULL: the last column that is not ignored, if there are no targets */
    const char *targets; /* NULL: none */
    const char *ignored; /* NULL: none */
    enum csv_header header;
};

struct csv_columns {
    int64_t count, inputs, targets;
    int64_t label;        /* -1: none */
    bool has_name;        /* one was asked for by a name of the first row */
    enum csv_role *roles; /* [count] */
};

/*
 * Of an open table, whose next row then is the first one of data. Without a word about the header,
 * the first row is one if it has a word in a column of inputs or targets, or a name of the request.
 * Fails with a message that begins with "data." or with the name of the file; then x is empty.
 */
enum status csv_columns_init(struct csv_columns *x, struct csv *c,
                             const struct csv_column_request *q);
void csv_columns_release(struct csv_columns *x);

#endif
