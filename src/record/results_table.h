/*
 * results_table.h - which numbers of results are shown to people, under which headings, and how.
 */
#ifndef RECORD_RESULTS_TABLE_H
#define RECORD_RESULTS_TABLE_H

#include "record/results.h"

/* Whether some case has this number, and it is one for people. */
bool results_table_shows(const struct results *r, int number);

/* All mem_free: "% at bytes:1.5M"; "89.12 ± 0.31"; "1 of 3 failed: ..." (NULL: nothing to say). */
char *results_table_heading(const struct results *r, int number);
char *results_table_cell(const struct results_case *c, int number);
char *results_table_remark(const struct results_case *c);

/* Whether a mean is shown with its interval, and what ± then means. */
bool results_table_has_interval(const struct results *r);
/* What the intervals are. */
void results_table_explain_interval(const struct results *r, struct text *out);

/* A value as the table shows this number, without its interval. */
void results_table_value(struct text *out, int number, double value);

#endif
