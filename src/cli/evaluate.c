/*
 * evaluate.c - `muster evaluate RUN|MODEL...`: loss, accuracy, and the report per class.
 */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/list.h"
#include "record/class_report.h"
#include "train/saved_model.h"

static const struct flag evaluate_flags[] = {
    {"split",      NULL,               "LIST",      "train, validation, test, a list of these with commas, or all (test)",
     "What"                                                                                                                     },
    {"classes",    NULL,               NULL,        "precision, recall, F1 and support of every class",                    NULL },
    {"confusion",  NULL,               NULL,        "the confusion matrix: rows are true classes",                         NULL },
    {"data-dir",   "data.dir",         "DIR",       NULL,                                                                  "How"},
    {"dataset",    "data.name",        "NAME",
     "evaluate on this data set instead of the one it was trained on",                                                     NULL },
    {"model",      "model.name",       "NAME|FILE", "the network, for a model file without a run directory",
     NULL                                                                                                                       },
    {"input-size", "data.input_size",  "N",         NULL,                                                                  NULL },
    {"normalize",  "data.normalize",   "HOW",       NULL,                                                                  NULL },
    {"batch-size", "train.batch_size", "N",         "samples per batch",                                                   NULL },
    {"threads",    "train.threads",    "N",         NULL,                                                                  NULL },
    {"json",       NULL,               NULL,        "print one JSON object",                                               NULL },
    {"quiet",      NULL,               NULL,        "print warnings and errors only",                                      NULL },
    FLAG_LAST,
};

static const struct flags_spec evaluate_spec = {
    .command = "evaluate",
    .usage = "muster evaluate [RUN|MODEL...] [flags]",
    .intro =
        "Measures trained models on a data set. RUN is a run directory, MODEL a .safetensors file: "
        "a final model or a checkpoint. Without either it uses runs/latest, the newest run.",
    .examples = "muster evaluate runs/<run> --classes --confusion\n"
                "muster evaluate runs/a runs/b --split train,test\n"
                "muster evaluate runs/<run>/<name>/checkpoints/best.safetensors",
    .flags = evaluate_flags,
    .tables = run_config_tables,
    .registries = run_config_registries,
    .positional_max = -1,
};

/* What to measure and how to tell it. */
struct request {
    bool parts[3]; /* by enum problem_part */
    bool classes, confusion, as_json;
    const struct node *over;
};

/* One part of one model, measured. */
struct measured {
    enum problem_part part;
    const struct problem *problem;
    struct evaluation evaluation;
    int64_t class_count;
    const char *const *names; /* of the classes, or NULL */
};

static bool choose_part(bool parts[3], const char *word, size_t length)
{
    bool known = false;

    for (int p = PART_TRAIN; p <= PART_TEST; p++) {
        const char *name = problem_part_name((enum problem_part)p);
        if (strlen(name) == length && strncmp(name, word, length) == 0)
            parts[p] = known = true;
    }
    return known;
}

static enum status read_parts(bool parts[3], const char *list)
{
    if (strcmp(list, "all") == 0) {
        parts[PART_TRAIN] = parts[PART_VALIDATION] = parts[PART_TEST] = true;
        return STATUS_OK;
    }
    if (list[0] == '\0')
        return FAIL(STATUS_BAD_INPUT,
                    "--split: name at least one of train, validation, test or all");
    for (const char *word = list; *word != '\0';) {
        const size_t length = strcspn(word, ",");
        if (!choose_part(parts, word, length))
            return FAIL(STATUS_BAD_INPUT, "--split: '%.*s' is not train, validation, test or all",
                        (int)length, word);
        word += length + (word[length] == ',');
    }
    return STATUS_OK;
}

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

static void confusion_text(const struct measured *m, struct text *out)
{
    text_add(out, "confusion (rows: true class, columns: answer)\n");
    for (int64_t i = 0; i < m->class_count; i++) {
        text_addf(out, "%4lld", (long long)i);
        for (int64_t j = 0; j < m->class_count; j++)
            text_addf(out, " %6lld", (long long)m->evaluation.confusion[i * m->class_count + j]);
        if (m->names != NULL)
            text_addf(out, "  %s", m->names[i]);
        text_add(out, "\n");
    }
}

static void write_text(const struct measured *m, const struct request *r, struct text *out)
{
    const struct evaluation *e = &m->evaluation;

    text_addf(out, "%-11s loss ", problem_part_name(m->part));
    text_add_fixed(out, e->loss, 4);
    for (int i = 1; i < m->problem->metric_count; i++)
        metric_text(&m->problem->metrics[i], e->values[i], out);
    text_addf(out, "   (%lld sample%s)\n", (long long)e->samples, e->samples == 1 ? "" : "s");
    if (m->class_count > 0 && r->classes) {
        struct class_report c;

        class_report_init(&c, e->confusion, m->class_count);
        class_report_table(&c, m->names, out);
        class_report_release(&c);
    }
    if (m->class_count > 0 && r->confusion)
        confusion_text(m, out);
}

static void confusion_json(const struct measured *m, struct json *j)
{
    json_open_list(j, "confusion");
    for (int64_t i = 0; i < m->class_count; i++) {
        json_open_list(j, NULL);
        for (int64_t k = 0; k < m->class_count; k++)
            json_int(j, NULL, m->evaluation.confusion[i * m->class_count + k]);
        json_close_list(j);
    }
    json_close_list(j);
}

static void write_json(const struct measured *m, struct json *j)
{
    const struct evaluation *e = &m->evaluation;

    json_open_map(j, problem_part_name(m->part));
    json_int(j, "samples", e->samples);
    for (int i = 0; i < m->problem->metric_count; i++)
        json_number(j, m->problem->metrics[i].name, e->values[i]);
    if (m->class_count > 0) {
        struct class_report c;

        class_report_init(&c, e->confusion, m->class_count);
        class_report_json(&c, m->names, j, "report");
        class_report_release(&c);
        confusion_json(m, j);
    }
    json_close_map(j);
}

static enum status measure_part(const struct saved_model *e, enum problem_part part,
                                const struct request *r, struct text *out, struct json *j)
{
    const struct problem_plan *plan = e->build->plan;
    const int64_t cells = plan->classes * plan->classes;
    struct measured m = {
        .part = part,
        .problem = e->build->evaluator,
        .class_count = plan->classes,
        .names = plan->class_names,
        .evaluation = {.confusion = MEM_NEW_N(int64_t, cells)},
    };
    const enum status s = problem_evaluate(e->build->evaluator, e->state, part, &m.evaluation);

    if (s == STATUS_OK && r->as_json)
        write_json(&m, j);
    else if (s == STATUS_OK)
        write_text(&m, r, out);
    mem_free(m.evaluation.confusion);
    return s;
}

static enum status measure_parts(const struct saved_model *e, const struct request *r,
                                 struct text *out, struct json *j)
{
    const bool wants_all = r->parts[PART_TRAIN] && r->parts[PART_VALIDATION] && r->parts[PART_TEST];

    for (int p = PART_TRAIN; p <= PART_TEST; p++) {
        const bool is_empty = e->build->evaluator->part_counts[p] == 0;
        if (r->parts[p] && !(wants_all && is_empty))
            TRY(measure_part(e, (enum problem_part)p, r, out, j));
    }
    return STATUS_OK;
}

static enum status evaluate_one(const char *path, const struct request *r, struct json *j)
{
    struct saved_model e;

    TRY(saved_model_open(&e, path, r->over));
    if (r->as_json) {
        json_open_map(j, NULL);
        json_text(j, "model_file", e.file);
        json_text(j, "problem", e.config.problem.entry->name);
        json_text(j, "model", e.config.model_name);
        json_text(j, "dataset", e.build->plan->data_name);
        json_open_map(j, "splits");
    } else {
        text_addf(j->out, "%s (%s%s%s)\n", e.file, e.build->plan->name,
                  e.build->plan->data_name == NULL ? "" : " on ",
                  e.build->plan->data_name == NULL ? "" : e.build->plan->data_name);
    }
    const enum status s = measure_parts(&e, r, j->out, j);
    if (r->as_json) {
        json_close_map(j);
        json_close_map(j);
    }
    saved_model_close(&e);
    return s;
}

static enum status evaluate_latest(const struct flags *f, const struct request *r, struct json *j)
{
    char *folder = NULL;

    TRY(command_run_folder(f, NULL, &folder));
    const enum status s = evaluate_one(folder, r, j);
    mem_free(folder);
    return s;
}

/* Of several, one that cannot be evaluated is reported, and the others are. */
static enum status evaluate_all(const struct flags *f, const struct request *r, struct text *out)
{
    enum status first_failure = STATUS_OK;
    int failed = 0;
    struct json j;

    json_init(&j, out);
    if (r->as_json) {
        json_open_map(&j, NULL);
        json_open_list(&j, "models");
    }
    if (f->positional_count == 0)
        TRY(evaluate_latest(f, r, &j));
    for (int i = 0; i < f->positional_count; i++) {
        const enum status s = evaluate_one(f->positional[i], r, &j);

        if (s == STATUS_OK)
            continue;
        if (f->positional_count == 1)
            return s;
        log_say(LOG_ERROR, "%s", status_message());
        first_failure = first_failure == STATUS_OK ? s : first_failure;
        failed++;
    }
    if (r->as_json) {
        json_close_list(&j);
        json_close_map(&j);
        text_add(out, "\n");
    }
    return failed == 0 ? STATUS_OK
                       : FAIL(first_failure, "%d of %d could not be evaluated", failed,
                              f->positional_count);
}

static enum status evaluate_parsed(const struct flags *f)
{
    const char *split = flags_value(f, "split");
    struct node *over = command_settings(f, &evaluate_spec);
    struct request r = {
        .classes = flags_has(f, "classes"),
        .confusion = flags_has(f, "confusion"),
        .as_json = flags_has(f, "json"),
        .over = over,
    };
    struct text out = {0};
    enum status s = STATUS_OK;

    if (flags_has(f, "quiet"))
        log_set_level(LOG_WARNING);
    s = read_parts(r.parts, split != NULL ? split : "test");
    if (s == STATUS_OK)
        s = evaluate_all(f, &r, &out);
    if (s == STATUS_OK || !r.as_json || f->positional_count > 1)
        command_print(
            text_get(&out)); /* what was measured before a failure is still worth telling */
    text_release(&out);
    node_free(over);
    return s;
}

static enum status evaluate_run(int argc, char **argv)
{
    struct flags f = {0};
    bool done = false;
    enum status s = command_parse(&f, &evaluate_spec, argc, argv, &done);

    if (s == STATUS_OK && !done)
        s = evaluate_parsed(&f);
    flags_release(&f);
    return s;
}

const struct command evaluate_command = {
    .name = "evaluate",
    .summary = "measure trained models: loss, accuracy, report per class",
    .flags = &evaluate_spec,
    .run = evaluate_run,
};
