/*
 * resume_decision.c - compares the settings of a run with those of the run in a folder.
 */
#include "study/resume_decision.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/amount.h"
#include "record/rundir.h"
#include "study/compared_run.h"
#include "study/settings.h"
#include "train/resume.h"
#include "train/run_config.h"

enum { SHOWN_MAX = 80 }; /* of a value in messages; the rest is cut */

/* --- differences --- */

/* What is different about the settings of two runs: their length, or anything that is computed. */
struct difference {
    bool in_length;
    char *path; /* of a value that may not change; NULL: there is none; mem_free */
    const struct node *mine, *its; /* of that value; NULL: not given */
};

/* Budgets of two units cannot be compared. */
static bool is_smaller_budget(const struct node *mine, const struct node *its)
{
    struct amount now, before;

    if (amount_read(mine->text, &now) != STATUS_OK || amount_read(its->text, &before) != STATUS_OK)
        return true;
    return now.unit != before.unit || now.value < before.value;
}

/* Of epochs and rounds 0 is no limit. */
static bool is_shorter(const char *path, const struct node *mine, const struct node *its)
{
    int64_t now = 0, before = 0;

    if (mine == NULL || its == NULL)
        return true;
    if (strcmp(path, "train.budget") == 0)
        return is_smaller_budget(mine, its);
    if (!text_to_int(mine->text, &now) || !text_to_int(its->text, &before))
        return true;
    return now != 0 && (before == 0 || now < before);
}

static void compare_value(struct difference *d, const char *path, const struct node *mine,
                          const struct node *its)
{
    if (d->path != NULL || settings_same(mine, its) || resume_is_place(path))
        return;
    if (!resume_may_change(path) || (settings_is_length(path) && is_shorter(path, mine, its))) {
        d->path = mem_text(path);
        d->mine = mine;
        d->its = its;
    } else if (settings_is_length(path)) {
        d->in_length = true;
    }
}

static void compare_sections(struct difference *d, const char *section, const struct node *mine,
                             const struct node *its)
{
    for (int64_t i = 0; i < mine->count; i++) {
        char *path = text_format("%s.%s", section, mine->keys[i]);

        compare_value(d, path, mine->children[i], node_find(its, mine->keys[i]));
        mem_free(path);
    }
    for (int64_t i = 0; its != NULL && i < its->count; i++) {
        char *path = text_format("%s.%s", section, its->keys[i]);

        compare_value(d, path, node_find(mine, its->keys[i]), its->children[i]);
        mem_free(path);
    }
}

static void compare_all(struct difference *d, const struct node *mine, const struct node *its)
{
    for (int64_t i = 0; i < mine->count; i++) {
        const struct node *other = node_find(its, mine->keys[i]);

        if (mine->children[i]->kind == NODE_MAP && (other == NULL || other->kind == NODE_MAP))
            compare_sections(d, mine->keys[i], mine->children[i], other);
        else
            compare_value(d, mine->keys[i], mine->children[i], other);
    }
    for (int64_t i = 0; i < its->count; i++)
        if (node_find(mine, its->keys[i]) == NULL)
            compare_value(d, its->keys[i], NULL, its->children[i]);
}

bool resume_decision_may_continue(const struct node *mine, const struct node *its)
{
    struct difference d = {0};

    compare_all(&d, mine, its);
    const bool found = d.path == NULL;
    mem_free(d.path);
    return found;
}

/* Lines, as of a file of links, by commas. */
static void add_lines(struct text *out, const char *lines)
{
    for (const char *at = lines; *at != '\0';) {
        const size_t length = strcspn(at, "\n");

        text_addf(out, "%s%.*s", at == lines ? "" : ", ", (int)length, at);
        at += length + (at[length] == '\n' ? 1 : 0);
    }
}

static void add_shown(struct text *out, const struct node *n)
{
    struct text whole = {0};

    if (n == NULL)
        text_add(&whole, "not given");
    else if (n->kind == NODE_SCALAR)
        add_lines(&whole, n->text);
    else
        text_add(&whole, "another value");
    text_add_n(out, text_get(&whole), whole.length < SHOWN_MAX ? whole.length : SHOWN_MAX);
    if (whole.length > SHOWN_MAX)
        text_addf(out, "... (%lld characters)", (long long)whole.length);
    text_release(&whole);
}

/* What the settings hold of a file. */
static bool is_from_file(const char *path)
{
    return text_same_name(path, "graph.links") || text_same_name(path, "graph.positions");
}

static enum status fail_different(const struct difference *d, const char *folder)
{
    struct text was = {0}, now = {0};

    add_shown(&was, d->its);
    add_shown(&now, d->mine);
    const enum status s =
        FAIL(STATUS_BAD_INPUT,
             "%s: was run with %s %s, not %s%s; choose another --out, or remove that folder",
             folder, d->path, text_get(&was), text_get(&now),
             is_from_file(d->path) ? " (its file has changed)" : "");
    text_release(&was);
    text_release(&now);
    return s;
}

/* --- the decision --- */

/* Whether a run that is to be longer than its folder's run must restart from scratch. */
static enum status decide_longer(const struct study_run *c, enum resume_decision *decision)
{
    struct run_config e;

    TRY(run_config_read(&e, c->root));
    *decision = resume_spans_run(&e) ? RESUME_RESTART : RESUME_CONTINUE;
    run_config_release(&e);
    return STATUS_OK;
}

/* A finished run may be asked later how good it is on the training set. */
static bool lacks_evaluation(const struct node *mine, const struct compared_run *result)
{
    const struct node *asked = node_find_path(mine, "train.evaluate_train");

    return asked != NULL && strcmp(asked->text, "true") == 0 &&
           isnan(result->numbers[RESULT_FINAL_TRAIN_LOSS]);
}

static enum status decide(const char *folder, const struct node *mine, const struct node *its,
                          enum resume_decision *decision)
{
    struct compared_run result;
    struct difference d = {0};
    enum status s = STATUS_OK;

    compare_all(&d, mine, its);
    if (d.path != NULL)
        s = fail_different(&d, folder);
    mem_free(d.path);
    TRY(s);
    if (compared_run_read(folder, &result) != STATUS_OK)
        log_warning("%s: cannot be used; resuming the run writes it again", status_message());
    if (d.in_length)
        *decision = RESUME_RESTART;
    else if (result.state == RESULT_FINISHED)
        *decision = lacks_evaluation(mine, &result) ? RESUME_CONTINUE : RESUME_SKIP;
    else
        *decision = result.diverged ? RESUME_DIVERGED : RESUME_CONTINUE;
    return STATUS_OK;
}

bool resume_decision_has_begun(const char *folder)
{
    return file_exists_in(folder, "experiment.yaml") && file_exists_in(folder, "effective.yaml") &&
           (rundir_is_run(folder) || file_exists_in(folder, "result.json"));
}

enum status resume_decision_make(const struct study_run *c, const char *folder,
                                 enum resume_decision *decision)
{
    struct node *mine = NULL, *its = NULL;

    *decision = RESUME_BEGIN;
    if (!resume_decision_has_begun(folder))
        return STATUS_OK; /* it never started to compute */
    enum status s = settings_of_folder(folder, &its);
    if (s == STATUS_OK)
        s = settings_unnamed(c, &mine);
    if (s == STATUS_OK)
        s = decide(folder, mine, its, decision);
    if (s == STATUS_OK && *decision == RESUME_RESTART)
        s = decide_longer(c, decision);
    node_free(mine);
    node_free(its);
    return s;
}
