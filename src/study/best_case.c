/*
 * best_case.c - the outcome of a search.
 */
#include "study/best_case.h"

#include <inttypes.h>

#include "base/mem.h"
#include "record/paired_cases.h"

int64_t best_case_find(const struct results *r)
{
    struct paired_cases p;
    int64_t best = -1;

    paired_cases_init(&p, r);
    for (int64_t i = 0; i < p.count; i++)
        if (p.items[i].is_best)
            best = p.items[i].index;
    paired_cases_release(&p);
    return best;
}

bool best_case_is_validated(const struct node *root)
{
    const struct node *part = node_find_path(root, "data.validation");
    const struct node *folds = node_find_path(root, "data.folds");
    double share = 0;
    int64_t number = 0;

    if (!node_is_null(folds) && folds->kind == NODE_SCALAR &&
        (!text_to_int(folds->text, &number) || number != 0))
        return true; /* reading it reports a number that is too small */
    if (!node_is_null(node_find_path(root, "data.fold")))
        return true;
    return !node_is_null(part) && part->kind == NODE_SCALAR &&
           (!text_to_double(part->text, &share) || share > 0); /* reading it reports a mistake */
}

enum status best_case_check_validation(const struct study *s)
{
    for (int64_t i = 0; i < s->count; i++)
        if (!best_case_is_validated(s->runs[i].root))
            return FAIL(STATUS_BAD_INPUT,
                        "muster search compares settings by samples that are set aside, but run %s "
                        "sets none aside; use --folds 5 or --validation 0.1, or data.folds or "
                        "data.validation in the file",
                        s->runs[i].name);
    return STATUS_OK;
}

/* Where a launcher said it, the settings do not. */
static void put_workers(struct node *root, int64_t workers)
{
    const struct node *given = node_find_path(root, "transport.workers");
    int64_t number = 0;

    if (!node_is_null(given))
        (void)text_to_int(given->text, &number);
    if (number > 0 || workers <= 1)
        return;
    char *text = text_format("%" PRId64, workers);
    node_put_path(root, "transport.workers", node_new_scalar(text, "search", 0, 0));
    mem_free(text);
}

struct node *best_case_settings(const struct comparison *t, int64_t row)
{
    static const char *const parts[] = {"folds", "fold", "fold_by", "validation"};
    const struct study_run *run = t->rows[row].run;
    struct node *root = node_copy(run->given != NULL ? run->given : run->root);
    struct node *data = node_find(root, "data");

    put_workers(root, t->results[run - t->study->runs].workers);

    node_put(root, "name", node_new_scalar("best", "search", 0, 0));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        node_remove(data, parts[i]);
    return root;
}

static char *part_of_runs(int64_t part, const struct results_case *c, const char *one,
                          const char *many)
{
    const int64_t all = c->seeds + c->failed + c->not_run;

    if (all == 1)
        return text_format("it %s", one);
    return text_format("%" PRId64 " of %" PRId64 " runs %s", part, all, part == 1 ? one : many);
}

char *best_case_trouble(const struct results *r, const struct results_case *c)
{
    if (results_is_stopped(r, c))
        return text_format("it stopped after stage %" PRId64 " of %" PRId64, c->stage,
                           r->stages.count);
    if (c->not_run > 0)
        return part_of_runs(c->not_run, c, "has not finished", "have not finished");
    if (c->failed > 0)
        return part_of_runs(c->failed, c, "failed", "failed");
    if (c->diverged > 0)
        return part_of_runs(c->diverged, c, "is no better than a constant guess",
                            "are no better than a constant guess");
    return NULL;
}

char *best_case_why_unknown(const struct results *r)
{
    const char *runs = results_repetitions(r);
    bool has_finished = false, is_waiting = false;

    for (int64_t i = 0; i < r->case_count; i++) {
        const struct results_case *c = &r->cases[i];

        is_waiting = is_waiting || c->not_run > 0;
        has_finished = has_finished || (c->not_run == 0 && c->failed == 0 && c->seeds > 0);
    }
    if (has_finished)
        return mem_text("no case that has finished is better than a constant guess");
    if (!is_waiting)
        return mem_text("all cases failed");
    return runs == NULL ? mem_text("no case has finished")
                        : text_format("no case has finished all its %s", runs);
}
