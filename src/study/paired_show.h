/*
 * paired_show.h - the comparisons with the best case of a study, for people.
 */
#ifndef STUDY_PAIRED_SHOW_H
#define STUDY_PAIRED_SHOW_H

#include "record/paired_cases.h"

enum { PAIRED_SHOW_ROWS = 20 }; /* of the table; those nearest to the best */

/* What the stars in the table of cases mean, and a table of the comparisons; nothing where there
 * are none. */
void paired_cases_text(const struct results *r, const struct paired_cases *p, struct text *out);

#endif
