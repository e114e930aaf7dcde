/*
 * landscape_table.h - the table of a landscape: what differs between runs, their accuracy and loss
 * on training and test set, and how sharp their minima are.
 */
#ifndef REPORT_LANDSCAPE_TABLE_H
#define REPORT_LANDSCAPE_TABLE_H

#include "record/sharpness.h"
#include "report/subject.h"
#include "report/table.h"

/* A row per run, named names[run_count]; sharpness NULL: not measured. table_release. */
void landscape_table_runs(const struct subject *s, const char *const *names,
                          const struct sharpness_list *sharpness, struct table *t);

/* A row per case of a study, with means over its seeds. */
void landscape_table_cases(const struct subject *s, const struct sharpness_list *sharpness,
                           struct table *t);

#endif
