/*
 * evaluate_model.c - one trained model, opened and measured.
 */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/evaluate.h"
#include "record/confusion.h"
#include "record/record.h"

static enum status measure_part(struct evaluated_model *m, enum problem_part part, bool can_be_cut)
{
    const struct build *b = m->saved.build;
    struct evaluate_part *p = &m->parts[part];

    p->evaluation.confusion = MEM_NEW_N(int64_t, b->plan->classes * b->plan->classes);
    p->evaluation.can_be_cut = can_be_cut;
    TRY(problem_evaluate(b->evaluator, m->saved.state, part, &p->evaluation));
    p->is_measured = true;
    return STATUS_OK;
}

static bool wants_all(const struct evaluate_request *r)
{
    return r->parts[PART_TRAIN] && r->parts[PART_VALIDATION] && r->parts[PART_TEST];
}

/* Whether one of the parts that are asked for has samples. */
static bool has_samples(const struct evaluate_request *r, const int64_t *counts)
{
    for (int p = PART_TRAIN; p <= PART_TEST; p++)
        if (r->parts[p] && counts[p] > 0)
            return true;
    return false;
}

static enum status measure_parts(struct evaluated_model *m, const struct evaluate_request *r)
{
    const int64_t *counts = m->saved.build->evaluator->part_counts;
    const bool skips_empty = wants_all(r) || (r->is_table && has_samples(r, counts));

    for (int p = PART_TRAIN; p <= PART_TEST; p++)
        if (r->parts[p] && (counts[p] > 0 || !skips_empty))
            TRY(measure_part(m, (enum problem_part)p, r->is_table));
    return STATUS_OK;
}

/* Of a run; a file that was named alone may be any of its models. */
static double training_seconds(const char *path)
{
    struct record r;
    double seconds = (double)NAN;

    if (!file_is_folder(path) || record_open_brief(path, &r) != STATUS_OK)
        return seconds;
    if (record_has(&r, RECORD_RESULT))
        seconds = r.result.train_seconds;
    record_release(&r);
    return seconds;
}

/* The folder that has confusion.json: that of the model, or above checkpoints/. NULL: there is
 * none. mem_free */
static char *folder_of_run(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *near = slash == NULL ? mem_text(".") : mem_text_n(file, (size_t)(slash - file + 1));
    char *above = file_join(near, "..");
    char *found = file_exists_in(near, "confusion.json")    ? mem_text(near)
                  : file_exists_in(above, "confusion.json") ? mem_text(above)
                                                            : NULL;

    mem_free(near);
    mem_free(above);
    return found;
}

/* Outputs belong to classes by their numbers alone: those of other data may be numbered otherwise.
 */
static void warn_of_classes(const struct saved_model *saved)
{
    const struct problem_plan *plan = saved->build->plan;
    char *run = folder_of_run(saved->file);
    struct confusion trained = {0};

    if (run != NULL && plan->class_names != NULL && confusion_read(run, &trained) == STATUS_OK &&
        trained.class_names != NULL && trained.classes == plan->classes)
        for (int64_t k = 0; k < plan->classes; k++)
            if (strcmp(trained.class_names[k], plan->class_names[k]) != 0) {
                log_warning("%s: class %lld was %s in training and is %s in these data: they have "
                            "other classes",
                            saved->file, (long long)k, trained.class_names[k],
                            plan->class_names[k]);
                break;
            }
    confusion_release(&trained);
    mem_free(run);
}

enum status evaluate_model_open(struct evaluated_model *m, const char *path,
                                const struct evaluate_request *r)
{
    *m = (struct evaluated_model){0};
    TRY(saved_model_open(&m->saved, path, r->over));
    warn_of_classes(&m->saved);
    const enum status s = measure_parts(m, r);

    if (s == STATUS_OK)
        m->seconds = training_seconds(path);
    else
        evaluate_model_release(m);
    return s;
}

void evaluate_model_release(struct evaluated_model *m)
{
    for (int p = PART_TRAIN; p <= PART_TEST; p++)
        mem_free(m->parts[p].evaluation.confusion);
    saved_model_close(&m->saved);
    *m = (struct evaluated_model){0};
}

double evaluate_model_value(const struct evaluated_model *m, enum problem_part part,
                            const char *metric)
{
    const struct evaluate_part *p = &m->parts[part];

    return p->is_measured ? problem_value(m->saved.build->evaluator, &p->evaluation, metric)
                          : (double)NAN;
}

double evaluate_model_gap(const struct evaluated_model *m)
{
    return evaluate_model_value(m, PART_TRAIN, "accuracy") -
           evaluate_model_value(m, PART_TEST, "accuracy");
}
