/*
 * table.h - a table of a report, as HTML, as Markdown or for the terminal.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>

#include "base/text.h"

enum table_mark { TABLE_PLAIN, TABLE_BEST, TABLE_TIED };

struct table_cell {
    char *text;   /* owned */
    double value; /* to sort by; NaN: by its text */
};

/* Zeroed it is empty. Columns come first, then rows, cell by cell. */
struct table {
    const char *id;  /* of the element; a literal, or NULL */
    char *note;      /* below it; owned; NULL: none */
    char **headings; /* owned */
    bool *is_number; /* [columns] */
    int64_t columns, rows;
    struct table_cell *cells; /* [rows][columns] */
    enum table_mark *marks;   /* [rows] */
    int64_t next;             /* the cell that is put next */
};

void table_column(struct table *t, char *heading, bool is_number); /* takes the heading */
void table_row(struct table *t, enum table_mark mark);

/* The next cell of the last row; takes the text (NULL: "-"). */
void table_put(struct table *t, char *text);
void table_put_number(struct table *t, char *text, double value);
void table_release(struct table *t);

void table_html(const struct table *t, struct text *out);
void table_markdown(const struct table *t, struct text *out);
void table_text(const struct table *t, struct text *out); /* without the note */

/* Text that cannot become markup, on one line. */
void table_markdown_text(struct text *out, const char *text);

#endif
