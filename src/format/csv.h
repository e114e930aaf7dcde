/*
 * csv.h - reads tables of text: CSV as in RFC 4180, with commas, semicolons or tabs.
 *
 * Cells may be in quotes, with doubled quotes, separators and ends of lines inside. Lines end with
 * LF, CRLF or CR. Empty lines and a byte order mark are skipped. Every row has as many cells as the
 * first one. The file is read row by row, and cells stay in its memory where they can.
 */
#ifndef FORMAT_CSV_H
#define FORMAT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct csv_cell {
    const char *text; /* without quotes, until the next row; no NUL after it */
    size_t length;
    int64_t line, column; /* in the file, in bytes, from 1 */
    int64_t place;        /* in `unquoted` of the reader; -1: in the file */
};

struct csv {
    char *name;
    const char *file; /* borrowed */
    size_t bytes, at;
    size_t line_begin;
    int64_t line; /* from 1 */
    char separator;
    int64_t columns; /* 0: the file is empty */
    char **header;   /* [columns]; NULL: the first row has numbers only */
    struct csv_cell *cells;
    int64_t count, capacity; /* of cells of the row */
    struct text unquoted;    /* cells of the row that have doubled quotes */
    size_t first_row;        /* where it begins, and in which line */
    int64_t first_line;
};

/*
 * Reads the header, if the first row has a cell that is not a number. separator 0: the first of
 * tab, semicolon and comma that the first line has outside of quotes. Fails with a message that
 * begins with the name; then c is empty.
 */
enum status csv_open(struct csv *c, const char *name, const void *file, size_t bytes,
                     char separator);
void csv_close(struct csv *c);

/* Reads the first row again, as a header or as data, whatever is in it. */
enum status csv_set_header(struct csv *c, bool has_header);

/* Reads the next row into c->cells[c->columns]; *has_row is false at the end. */
enum status csv_next(struct csv *c, bool *has_row);

/* The column with that name in the header; -1: none. */
int64_t csv_find(const struct csv *c, const char *name);

/* Whether a cell of the row is neither a number nor missing. After csv_open, of the first row. */
bool csv_is_word(const struct csv *c, int64_t column);

/* The text of a cell of the row, without blanks around it; a missing value is an error. mem_free */
enum status csv_word(const struct csv *c, int64_t column, char **word);

/* The number in a cell of the row. A missing value (an empty cell, NA, NaN, null, ?) and what is
 * not a number are errors with file, line and column. */
enum status csv_number(const struct csv *c, int64_t column, double *value);

#endif
