/*
 * evaluate_model.c - one trained model, opened and measured.
 */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/evaluate.h"
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

enum status evaluate_model_open(struct evaluated_model *m, const char *path,
                                const struct evaluate_request *r)
{
    *m = (struct evaluated_model){0};
    TRY(saved_model_open(&m->saved, path, r->over));
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
