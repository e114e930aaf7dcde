/*
 * case_names.h - the names of cases in tables for people: the entry of the study, and the values of
 * what varies.
 */
#ifndef STUDY_CASE_NAMES_H
#define STUDY_CASE_NAMES_H

#include "base/text_table.h"
#include "record/results.h"

/* The columns that names need, and fills them: `cases` are the rows after the heading. */
int64_t case_names_columns(const struct results *r);
void case_names_put(const struct results *r, const int64_t *cases, int64_t count,
                    struct text_table *g);

/* "sync, momentum=0.9"; mem_free. */
char *case_names_text(const struct results *r, int64_t index);

#endif
