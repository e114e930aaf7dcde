/*
 * answer.h - the top of a report: which case is best, by how much, and how sure that is.
 */
#ifndef REPORT_ANSWER_H
#define REPORT_ANSWER_H

#include "report/subject.h"
#include "report/table.h"

/* The cases with their numbers; table_release. */
void answer_cases(const struct subject *s, struct table *t);

/* Each case compared with the best one, over the seeds that both have; no rows: nothing to compare.
 */
void answer_comparisons(const struct subject *s, struct table *t);

/* What was published about the cases; no rows: nothing. */
void answer_published(const struct subject *s, struct table *t);

/* One or two sentences: "3 cases, 15 runs. Best: ..." */
void answer_summary(const struct subject *s, struct text *out);

#endif
