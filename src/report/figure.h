/*
 * figure.h - a figure of the report: a drawing, a caption and the numbers in it; and the list of
 * figures that a run may have.
 *
 * Adding a figure of a run: its file in figures/, and its line in figures/list.h.
 */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include "base/text.h"
#include "base/text_table.h"
#include "record/record.h"

/* Zeroed it is empty. */
struct figure {
    const char *name, *title;  /* "time_split", "Where the time went"; not owned */
    char *caption;             /* plain text, one or two sentences; owned */
    struct text svg;           /* a complete file; may also stand in a page */
    struct text_table numbers; /* the first row names the columns */
};

void figure_release(struct figure *f); /* may be called twice */

struct run_figure {
    const char *name, *title;

    /* Fills caption, svg and numbers; false: the run has nothing to show, and nothing is filled. */
    bool (*draw)(const struct record *r, struct figure *f);
};

/* In the order of the page, ended by NULL. */
const struct run_figure *const *run_figure_all(void);

/* With name and title; false: the run has nothing to show. figure_release. */
bool run_figure_draw(const struct run_figure *what, const struct record *r, struct figure *f);

/* --- for the files that draw --- */

/* A new table with these titles of columns, ended by NULL, and empty rows below. */
void figure_start_numbers(struct figure *f, const char *const *titles, int64_t rows);

/* Rows are counted from 0, below the titles. */
void figure_put_int(struct figure *f, int64_t row, int64_t column, int64_t value);
void figure_put_number(struct figure *f, int64_t row, int64_t column,
                       double value); /* NaN: empty */
void figure_put_text(struct figure *f, int64_t row, int64_t column, const char *value);

#endif
