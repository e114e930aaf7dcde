/*
 * tune.c - the study of the tuning runs, and the settings that it chooses.
 */
#include "study/tune.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "comm/world.h"
#include "study/best_case.h"
#include "study/broadcast.h"
#include "study/case_names.h"
#include "study/comparison.h"
#include "study/epoch_cases.h"
#include "study/names.h"
#include "study/sweep.h"

/* --- the section --- */

/* What says how the tuning runs validate: keys of `data`. */
static bool is_about_validation(const char *key)
{
    static const char *const keys[] = {"folds", "fold_by", "validation"};
    bool found = false;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        found = found || text_same_name(key, keys[i]);
    return found;
}

static bool is_choice(const struct node *tune, int64_t at)
{
    return tune->children[at]->kind == NODE_LIST && !is_about_validation(tune->keys[at]);
}

static bool has_choices(const struct node *tune)
{
    bool found = false;

    for (int64_t i = 0; i < tune->count; i++)
        found = found || is_choice(tune, i);
    return found;
}

static bool is_swept(const struct study_run *run, const char *path)
{
    bool found = text_same_name(path, "seed") && run->seed != NULL;

    for (int64_t i = 0; i < run->values.count; i++)
        found = found || text_same_name(run->values.items[i].path, path);
    return found;
}

/* What repeats a case, or says how it is validated. */
static bool is_repetition(const char *path)
{
    return text_same_name(path, "seed") || text_same_name(path, "fold") ||
           text_same_name(path, "data.fold") || text_same_name(path, "data.folds");
}

static enum status check_key(const struct study_run *run, int64_t at)
{
    const char *path = run->tune->keys[at];
    const struct node *n = run->tune->children[at];
    const struct node *set = node_find_path(run->root, path);

    if (is_about_validation(path))
        return n->kind == NODE_SCALAR ? STATUS_OK
                                      : node_fail_key(n, SWEEP_TUNE, path, "expected one value");
    if (is_repetition(path))
        return node_fail_key(n, SWEEP_TUNE, path,
                             "this is not a setting to choose; use folds inside tune to validate");
    if (n->kind == NODE_MAP)
        return node_fail_key(n, SWEEP_TUNE, path,
                             "expected a list of values to choose from; a key of a section is "
                             "written with a dot, such as optimizer.lr");
    if (n->kind == NODE_LIST && n->count == 0)
        return node_fail_key(n, SWEEP_TUNE, path, "empty list; there is nothing to choose from");
    if (is_swept(run, path))
        return node_fail_key(n, SWEEP_TUNE, path,
                             "%s already has a list of values, each of which makes a run; a value "
                             "cannot be chosen as well",
                             path);
    if (set != NULL && strncmp(set->origin, "--", 2) == 0)
        return node_fail_key(n, SWEEP_TUNE, path, "conflicts with %s, which sets the value",
                             set->origin);
    return STATUS_OK;
}

static enum status check_section(const struct study_run *run)
{
    const struct node *tune = run->tune;

    if (tune->kind != NODE_MAP)
        return node_fail(tune, "tune: expected a map, such as {optimizer.lr: [0.01, 0.1], "
                               "folds: 3}");
    for (int64_t i = 0; i < tune->count; i++)
        TRY(check_key(run, i));
    if (!has_choices(tune))
        return node_fail(tune, "tune: no key has a list of values to choose from");
    if (!node_is_null(node_find_path(run->root, "data.folds")))
        return node_fail(tune, "tune: conflicts with data.folds; use folds inside tune");
    if (node_is_null(node_find(tune, "folds")) && node_is_null(node_find(tune, "validation")) &&
        !best_case_is_validated(run->root))
        return node_fail(tune, "tune: needs samples that are set aside to choose by; add folds: 5 "
                               "or validation: 0.1");
    return STATUS_OK;
}

void tune_drop_section(struct node *root, const char *section)
{
    struct node *tune = node_find(root, SWEEP_TUNE);
    const size_t length = strlen(section);

    for (int64_t i = tune == NULL || tune->kind != NODE_MAP ? -1 : tune->count - 1; i >= 0; i--)
        if (strncmp(tune->keys[i], section, length) == 0 &&
            (tune->keys[i][length] == '.' || tune->keys[i][length] == '\0'))
            node_remove(tune, tune->keys[i]);
    if (tune != NULL && tune->kind == NODE_MAP && !has_choices(tune))
        node_remove(root, SWEEP_TUNE);
}

/* --- the tuning study --- */

/* The settings of a case with the lists of its section. */
static struct node *tuning_settings(const struct study_run *run)
{
    struct node *root = node_copy(run->root);

    node_remove(root, "name");
    if (!node_is_null(node_find(run->tune, "folds")))
        node_remove(node_find(root, "data"), "validation");
    for (int64_t i = 0; i < run->tune->count; i++) {
        const char *key = run->tune->keys[i];
        char *path = is_about_validation(key) ? text_format("data.%s", key) : mem_text(key);

        node_put_path(root, path, node_copy(run->tune->children[i]));
        mem_free(path);
    }
    return root;
}

static void take_first_values(struct study_run *run)
{
    for (int64_t i = 0; i < run->tune->count; i++)
        if (is_choice(run->tune, i))
            node_put_path(run->root, run->tune->keys[i],
                          node_copy(run->tune->children[i]->children[0]));
}

static bool is_first_of_case(const struct study *s, int64_t run)
{
    return run == 0 || s->runs[run].case_number != s->runs[run - 1].case_number;
}

static enum status make_tuning(struct study *s, struct node *cases)
{
    struct node *root = node_new(NODE_MAP, "study", 0, 0);
    const struct study_options options = {.name = TUNE_FOLDER, .is_many = true};

    node_put(root, "name", node_new_scalar(TUNE_FOLDER, "study", 0, 0));
    node_put(root, "runs", cases);
    const enum status status = study_new(root, &options, &s->tuning);
    node_free(root);
    if (status != STATUS_OK)
        return status;
    s->tuning->is_by_validation = true;
    return epoch_cases_check(s->tuning);
}

enum status tune_prepare(struct study *s)
{
    struct node *cases = node_new(NODE_MAP, "study", 0, 0);
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++) {
        struct study_run *run = &s->runs[i];

        if (run->tune == NULL)
            continue;
        status = check_section(run);
        if (status == STATUS_OK && is_first_of_case(s, i)) {
            char *name = names_case(run);

            node_put_new(cases, name, tuning_settings(run));
            mem_free(name);
        }
        if (status == STATUS_OK)
            take_first_values(run);
    }
    if (status == STATUS_OK && cases->count > 0)
        return make_tuning(s, cases);
    node_free(cases);
    return status;
}

/* Whether a tuning run is one of the case of this run. */
static bool tunes(const struct study_run *tuning, const struct study_run *run)
{
    char *name = run->tune == NULL ? NULL : names_case(run);
    const bool does = name != NULL && strcmp(name, tuning->entry) == 0;

    mem_free(name);
    return does;
}

void tune_select(struct study *s)
{
    for (int64_t i = 0; s->tuning != NULL && i < s->tuning->count; i++) {
        struct study_run *tuning = &s->tuning->runs[i];

        tuning->is_left_out = true;
        for (int64_t k = 0; k < s->count && tuning->is_left_out; k++)
            tuning->is_left_out = s->runs[k].is_left_out || !tunes(tuning, &s->runs[k]);
    }
}

int64_t tune_count(const struct study *s)
{
    int64_t count = 0;

    for (int64_t i = 0; s->tuning != NULL && i < s->tuning->count; i++)
        count += s->tuning->runs[i].is_left_out || s->tuning->runs[i].whole != NULL ? 0 : 1;
    return count;
}

/* --- choosing --- */

static bool is_candidate(const struct comparison_row *row, const struct study_run *run)
{
    return row->failed == 0 && row->waiting == 0 && row->diverged == 0 &&
           !isnan(row->numbers[RESULT_VALIDATION_LOSS].mean) && tunes(row->run, run);
}

static const struct comparison_row *find_best(const struct comparison *t,
                                              const struct study_run *run)
{
    const struct comparison_row *best = NULL;

    for (int64_t i = 0; i < t->count; i++)
        if (is_candidate(&t->rows[i], run) &&
            (best == NULL || t->rows[i].numbers[RESULT_VALIDATION_LOSS].mean <
                                 best->numbers[RESULT_VALIDATION_LOSS].mean))
            best = &t->rows[i];
    return best;
}

/* A lower loss than that of the best is not passed over in silence. */
static void log_not_chosen(const struct comparison *t, const struct study_run *run,
                           const struct comparison_row *best)
{
    struct results r;

    comparison_results(t, NULL, NULL, &r);
    for (int64_t i = 0; i < t->count; i++) {
        const double loss = t->rows[i].numbers[RESULT_VALIDATION_LOSS].mean;

        if (isnan(loss) || !tunes(t->rows[i].run, run) ||
            (best != NULL && !(loss < best->numbers[RESULT_VALIDATION_LOSS].mean)))
            continue;
        char *name = case_names_text(&r, i), *why = best_case_trouble(&r, &r.cases[i]);

        log_info("not chosen: %s (validation loss %.4f), because %s", name, loss, why);
        mem_free(why);
        mem_free(name);
    }
    results_release(&r);
}

struct choosing {
    struct study *study;
    const struct compared_run *results; /* of study->tuning */
};

/* For each run the number of a tuning run with its settings; -1: none. The loss stays here, with
 * the process that reports. */
static enum status choose(void *context, struct text *decision)
{
    const struct choosing *c = context;
    const struct study *s = c->study;
    struct comparison table;

    comparison_init(&table, s->tuning, c->results);
    for (int64_t i = 0; i < s->count; i++) {
        const struct comparison_row *best =
            s->runs[i].tune == NULL ? NULL : find_best(&table, &s->runs[i]);

        text_addf(decision, "%lld\n",
                  best == NULL ? -1LL : (long long)(best->run - s->tuning->runs));
        if (s->runs[i].tune != NULL && !s->runs[i].is_left_out && is_first_of_case(s, i))
            log_not_chosen(&table, &s->runs[i], best);
        if (best != NULL)
            s->runs[i].tuned_loss = best->numbers[RESULT_VALIDATION_LOSS].mean;
    }
    comparison_release(&table);
    return STATUS_OK;
}

/* With the name of an entry come its options: the whole section. */
static void take_setting(struct node *root, const struct node *best, const char *path)
{
    const char *dot = strrchr(path, '.');
    const bool is_name = dot != NULL && strcmp(dot, ".name") == 0;
    char *place = is_name ? mem_text_n(path, (size_t)(dot - path)) : mem_text(path);
    const struct node *chosen = node_find_path(best, place);

    if (is_name)
        node_put_path(root, place, node_new(NODE_MAP, best->origin, 0, 0));
    if (chosen != NULL)
        node_put_path(root, place, node_copy(chosen));
    mem_free(place);
}

/* The table shows what was chosen like what varies. */
static void apply_choice(struct study_run *run, const struct study_run *best)
{
    for (int64_t i = 0; i < run->tune->count; i++)
        if (is_choice(run->tune, i))
            take_setting(run->root, best->root, run->tune->keys[i]);
    for (int64_t i = 0; i < best->values.count; i++)
        sweep_values_add_copy(&run->values, &best->values.items[i]);
    run->tuned = best;
}

static void log_choice(const struct study_run *run)
{
    const struct study_run *best = run->tuned;
    struct text out = {0};

    for (int64_t i = 0; i < best->values.count; i++)
        text_addf(&out, "%s%s=%s", i == 0 ? "" : ", ", best->values.items[i].key,
                  best->values.items[i].text);
    log_info("tuned %s: %s (validation loss %.4f)", best->entry, text_get(&out), run->tuned_loss);
    text_release(&out);
}

static void apply_to_run(struct study *s, int64_t run, int64_t best, int64_t *failed)
{
    struct study_run *c = &s->runs[run];
    const bool reports = world_reports() && is_first_of_case(s, run);

    if (best >= 0) {
        apply_choice(c, &s->tuning->runs[best]);
        if (reports)
            log_choice(c);
        return;
    }
    c->is_left_out = true;
    *failed += is_first_of_case(s, run) ? 1 : 0;
    if (reports) {
        char *name = names_case(c);

        log_say(LOG_ERROR, "%s cannot be tuned: no setting is better than a constant guess", name);
        mem_free(name);
    }
}

static void apply_all(struct study *s, const char *decision, int64_t *failed)
{
    for (int64_t i = 0; i < s->count; i++) {
        const size_t length = strcspn(decision, "\n");
        char *number = mem_text_n(decision, length);
        int64_t best = -1;

        (void)text_to_int(number, &best); /* it was written by choose */
        mem_free(number);
        decision += length + 1;
        if (s->runs[i].tune != NULL && !s->runs[i].is_left_out)
            apply_to_run(s, i, best, failed);
    }
}

/* --- running --- */

static int64_t count_kept(const struct study *s)
{
    int64_t count = 0;

    for (int64_t i = 0; i < s->count; i++)
        count += s->runs[i].is_left_out ? 0 : 1;
    return count;
}

/* A setting that diverges is not chosen; that is no failure. */
static enum status run_tuning(struct study *s, const struct runner_request *q, const char *folder,
                              struct runner_outcome *outcome)
{
    struct runner_request request = *q;
    char *own = file_join(folder, TUNE_FOLDER);

    request.out = own;
    request.given = NULL;
    request.part_of = folder;
    request.others = count_kept(s);
    epoch_cases_share(s->tuning);
    const enum status status = runner_run(s->tuning, &request, outcome);
    mem_free(own);
    return status == STATUS_INTERRUPTED || outcome->failed == 0 ? status : STATUS_OK;
}

enum status tune_run(struct study *s, const struct runner_request *q, const char *folder,
                     int64_t *failed)
{
    struct runner_outcome outcome;
    struct text decision = {0};

    enum status status = run_tuning(s, q, folder, &outcome);
    if (status == STATUS_OK)
        status = broadcast_decision(choose, &(struct choosing){s, outcome.results}, &decision);
    if (status == STATUS_OK)
        apply_all(s, text_get(&decision), failed);
    text_release(&decision);
    runner_outcome_release(&outcome);
    return status;
}
