/*
 * evaluation_metrics.c - where the values of a problem's metrics go.
 */
#include "train/loop/evaluation_metrics.h"

#include <stdio.h>
#include <string.h>

static bool is_own(const char *name)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (strcmp(metric_list[i].name, name) == 0)
            return false;
    return true;
}

void evaluation_metrics_to_row(const struct problem *p, enum problem_part part,
                               const struct evaluation *e, struct metric_row *row)
{
    for (int m = 0; m < p->metric_count; m++)
        if (p->metrics[m].rows[part] != NULL)
            metric_row_add_named(row, p->metrics[m].rows[part], e->values[m]);
}

void evaluation_metrics_report(const struct problem *p, enum problem_part part,
                               const struct evaluation *e, struct run_report *report)
{
    for (int m = 0; m < p->metric_count; m++)
        if (p->metrics[m].rows[part] != NULL && is_own(p->metrics[m].rows[part]))
            result_own_set(&report->own, p->metrics[m].rows[part], e->values[m]);
}

void evaluation_metrics_restore(const struct problem *p, const struct metric_table *t, int worker,
                                struct run_report *report)
{
    for (int m = 0; m < p->metric_count; m++)
        for (int part = PART_TRAIN; part < PROBLEM_PARTS; part++) {
            const char *name = p->metrics[m].rows[part];
            const struct metric_series *s =
                name == NULL || !is_own(name) ? NULL : metric_table_find(t, worker, name);

            if (s != NULL && s->count > 0)
                result_own_set(&report->own, name, s->values[s->count - 1]);
        }
}

void evaluation_metrics_to_line(const struct run_report *report, struct text *line)
{
    for (int i = 0; i < report->own.count; i++) {
        text_add(line, " ");
        result_own_words(&report->own, i, line);
        text_addf(line, " %.4g,", report->own.values[i]);
    }
}
