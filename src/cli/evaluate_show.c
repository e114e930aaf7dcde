/*
 * evaluate_show.c - what was measured of one model, for people and as JSON.
 */
#include <math.h>
#include <string.h>

#include "cli/evaluate.h"
#include "record/class_report.h"

/* One part of the model that is shown. */
struct shown_part {
    enum problem_part part;
    const struct evaluation *evaluation;
    const struct problem *problem;
    int64_t class_count;
    const char *const *names; /* of the classes, or NULL */
};

static struct shown_part shown_part(const struct evaluated_model *m, enum problem_part part)
{
    const struct build *b = m->saved.build;

    return (struct shown_part){
        .part = part,
        .evaluation = &m->parts[part].evaluation,
        .problem = b->evaluator,
        .class_count = b->plan->classes,
        .names = b->plan->class_names,
    };
}

/* --- for people --- */

/* Accuracies are known as top-1 and top-5. */
static void metric_text(const struct problem_metric *metric, double value, struct text *out)
{
    const char *name = strcmp(metric->name, "accuracy") == 0    ? "top-1"
                       : strcmp(metric->name, "accuracy5") == 0 ? "top-5"
                                                                : metric->name;

    if (metric->is_share)
        text_addf(out, "   %s %.2f %%", name, 100.0 * value);
    else
        text_addf(out, "   %s %.4g", name, value);
}

static void confusion_text(const struct shown_part *s, struct text *out)
{
    text_add(out, "confusion (rows: true class, columns: answer)\n");
    for (int64_t i = 0; i < s->class_count; i++) {
        text_addf(out, "%4lld", (long long)i);
        for (int64_t j = 0; j < s->class_count; j++)
            text_addf(out, " %6lld", (long long)s->evaluation->confusion[i * s->class_count + j]);
        if (s->names != NULL)
            text_addf(out, "  %s", s->names[i]);
        text_add(out, "\n");
    }
}

static void part_text(const struct shown_part *s, const struct evaluate_request *r,
                      struct text *out)
{
    const struct evaluation *e = s->evaluation;

    text_addf(out, "%-11s loss ", problem_part_name(s->part));
    text_add_fixed(out, e->loss, 4);
    for (int i = 1; i < s->problem->metric_count; i++)
        metric_text(&s->problem->metrics[i], e->values[i], out);
    text_addf(out, "   (%lld sample%s)\n", (long long)e->samples, e->samples == 1 ? "" : "s");
    if (s->class_count > 0 && r->classes) {
        struct class_report c;

        class_report_init(&c, e->confusion, s->class_count);
        class_report_table(&c, s->names, out);
        class_report_release(&c);
    }
    if (s->class_count > 0 && r->confusion)
        confusion_text(s, out);
}

void evaluate_show_text(const struct evaluated_model *m, const struct evaluate_request *r,
                        struct text *out)
{
    const struct problem_plan *plan = m->saved.build->plan;

    text_addf(out, "%s (%s%s%s)\n", m->saved.file, plan->name,
              plan->data_name == NULL ? "" : " on ",
              plan->data_name == NULL ? "" : plan->data_name);
    for (int p = PART_TRAIN; p <= PART_TEST; p++) {
        const struct shown_part s = shown_part(m, (enum problem_part)p);

        if (m->parts[p].is_measured)
            part_text(&s, r, out);
    }
}

/* --- as JSON --- */

static void confusion_json(const struct shown_part *s, struct json *j)
{
    json_open_list(j, "confusion");
    for (int64_t i = 0; i < s->class_count; i++) {
        json_open_list(j, NULL);
        for (int64_t k = 0; k < s->class_count; k++)
            json_int(j, NULL, s->evaluation->confusion[i * s->class_count + k]);
        json_close_list(j);
    }
    json_close_list(j);
}

static void part_json(const struct shown_part *s, struct json *j)
{
    const struct evaluation *e = s->evaluation;

    json_open_map(j, problem_part_name(s->part));
    json_int(j, "samples", e->samples);
    for (int i = 0; i < s->problem->metric_count; i++)
        json_number(j, s->problem->metrics[i].name, e->values[i]);
    if (s->class_count > 0) {
        struct class_report c;

        class_report_init(&c, e->confusion, s->class_count);
        class_report_json(&c, s->names, j, "report");
        class_report_release(&c);
        confusion_json(s, j);
    }
    json_close_map(j);
}

void evaluate_show_json(const struct evaluated_model *m, const char *path, struct json *j)
{
    json_open_map(j, NULL);
    json_text(j, "name", path);
    json_text(j, "model_file", m->saved.file);
    json_text(j, "problem", m->saved.config.problem.entry->name);
    json_text(j, "model", m->saved.config.model_name);
    json_text(j, "dataset", m->saved.build->plan->data_name);
    json_number(j, "train_seconds", m->seconds);
    json_number(j, "accuracy_gap", evaluate_model_gap(m));
    json_open_map(j, "splits");
    for (int p = PART_TRAIN; p <= PART_TEST; p++) {
        const struct shown_part s = shown_part(m, (enum problem_part)p);

        if (m->parts[p].is_measured)
            part_json(&s, j);
    }
    json_close_map(j);
    json_close_map(j);
}
