/*
 * state.c - compares a cell with a folder.
 *
 * A cell's experiment.yaml holds every value before the data set is known (experiment_dump), so
 * that two of them are equal exactly when the same would be run, however the file was written.
 */
#include "study/state.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "metrics/rundir.h"
#include "study/result.h"
#include "train/check.h"
#include "train/experiment.h"
#include "train/resume.h"

/*
 * As many workers as the launcher started are a number, and part of what is computed. Where they
 * cannot be told, or are refused, who opens the world finds that out.
 */
static void settle_workers(struct experiment *e)
{
    struct world_request request;
    int workers = 0;

    if (e->transport.workers == 0 && experiment_world(e, &request) == STATUS_OK &&
        world_check(&request, &workers) == STATUS_OK)
        e->transport.workers = workers;
}

enum status study_effective(const struct study_cell *c, struct node **root)
{
    struct experiment e;

    *root = NULL;
    TRY(experiment_read(&e, c->root));
    settle_workers(&e);
    *root = experiment_dump(&e);
    experiment_release(&e);
    return STATUS_OK;
}

enum status study_settings(const struct study_cell *c, char **yaml)
{
    struct node *root = NULL;
    struct text out = {0};

    *yaml = NULL;
    TRY(study_effective(c, &root));
    node_write(root, &out);
    node_free(root);
    *yaml = text_take(&out);
    return STATUS_OK;
}

/* --- differences --- */

static bool is_same(const struct node *a, const struct node *b)
{
    struct text x = {0}, y = {0};

    if (a == NULL || b == NULL)
        return a == b;
    node_write(a, &x);
    node_write(b, &y);
    const bool same = strcmp(text_get(&x), text_get(&y)) == 0;
    text_release(&x);
    text_release(&y);
    return same;
}

/* What is different about two experiments: how long they run, or anything that is computed. */
struct difference {
    bool in_length;
    char *path; /* of a value that may not change; NULL: there is none; mem_free */
    const struct node *mine, *its; /* of that value; NULL: not given */
};

static bool is_length(const char *path)
{
    return strcmp(path, "train.epochs") == 0 || strcmp(path, "train.max_steps") == 0;
}

/* 0 is no limit. */
static bool is_shorter(const struct node *mine, const struct node *its)
{
    int64_t now = 0, before = 0;

    if (mine == NULL || its == NULL || !text_to_int(mine->text, &now) ||
        !text_to_int(its->text, &before))
        return true;
    return now != 0 && (before == 0 || now < before);
}

static void compare_value(struct difference *d, const char *path, const struct node *mine,
                          const struct node *its)
{
    if (d->path != NULL || is_same(mine, its))
        return;
    if (!resume_may_change(path) || (is_length(path) && is_shorter(mine, its))) {
        d->path = mem_text(path);
        d->mine = mine;
        d->its = its;
    } else if (is_length(path)) {
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

static void compare(struct difference *d, const struct node *mine, const struct node *its)
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

bool study_may_go_on(const struct node *mine, const struct node *its)
{
    struct difference d = {0};

    compare(&d, mine, its);
    const bool found = d.path == NULL;
    mem_free(d.path);
    return found;
}

static void add_shown(struct text *out, const struct node *n)
{
    if (n == NULL)
        text_add(out, "not given");
    else if (n->kind == NODE_SCALAR)
        text_add(out, n->text);
    else
        text_add(out, "something else");
}

static enum status refuse(const struct difference *d, const char *folder)
{
    struct text was = {0}, now = {0};

    add_shown(&was, d->its);
    add_shown(&now, d->mine);
    const enum status s =
        FAIL(STATUS_BAD_INPUT,
             "%s: was run with %s %s, and now it would be %s; take another --out, "
             "or remove that folder",
             folder, d->path, text_get(&was), text_get(&now));
    text_release(&was);
    text_release(&now);
    return s;
}

/* --- the state --- */

/* Whether a cell that is to be longer than its folder's run must indeed begin anew. */
static enum status judge_longer(const struct study_cell *c, enum study_step *step)
{
    struct experiment e;

    TRY(experiment_read(&e, c->root));
    *step = resume_spans_run(&e) ? STUDY_ANEW : STUDY_GO_ON;
    experiment_release(&e);
    return STATUS_OK;
}

static enum status judge(const char *folder, const struct node *mine, const struct node *its,
                         enum study_step *step)
{
    struct study_result result;
    struct difference d = {0};
    enum status s = STATUS_OK;

    compare(&d, mine, its);
    if (d.path != NULL)
        s = refuse(&d, folder);
    mem_free(d.path);
    TRY(s);
    TRY(study_result_read(folder, &result));
    if (d.in_length)
        *step = STUDY_ANEW;
    else if (result.state == STUDY_FINISHED)
        *step = STUDY_SKIP;
    else
        *step = result.diverged ? STUDY_LOST : STUDY_GO_ON;
    return STATUS_OK;
}

/* The run may have been made longer by itself, and its workers may be the launcher's: what they
 * came to is in effective.yaml. */
static enum status take_settled(struct node *its, const char *folder)
{
    static const char *const paths[] = {"train.epochs", "train.max_steps", "transport.workers"};
    char *path = file_join(folder, "effective.yaml");
    struct node *effective = NULL;
    const enum status s = yaml_load(path, &effective);

    for (size_t i = 0; s == STATUS_OK && i < sizeof paths / sizeof paths[0]; i++) {
        const struct node *settled = node_find_path(effective, paths[i]);

        if (settled != NULL)
            node_put_path(its, paths[i], node_copy(settled));
    }
    node_free(effective);
    mem_free(path);
    return s;
}

/* What a folder's run was: every value as it came to be; without its name. */
static enum status load_past(const char *folder, struct node **its)
{
    char *path = file_join(folder, "experiment.yaml");
    enum status s = yaml_load(path, its);

    if (s == STATUS_OK && (*its)->kind != NODE_MAP)
        s = node_fail(*its, "this is not the experiment.yaml of a run");
    if (s == STATUS_OK)
        s = take_settled(*its, folder);
    if (s == STATUS_OK)
        node_remove(*its, "name");
    mem_free(path);
    return s;
}

/* A name decides nothing: it changes when the file grows. */
static enum status dump_unnamed(const struct study_cell *c, struct node **root)
{
    TRY(study_effective(c, root));
    node_remove(*root, "name");
    return STATUS_OK;
}

bool study_has_begun(const char *folder)
{
    return file_exists_in(folder, "experiment.yaml") && file_exists_in(folder, "effective.yaml") &&
           (rundir_is_run(folder) || file_exists_in(folder, "result.json"));
}

enum status study_state(const struct study_cell *c, const char *folder, enum study_step *step)
{
    struct node *mine = NULL, *its = NULL;

    *step = STUDY_BEGIN;
    if (!study_has_begun(folder))
        return STATUS_OK; /* it never came so far as to compute */
    enum status s = load_past(folder, &its);
    if (s == STATUS_OK)
        s = dump_unnamed(c, &mine);
    if (s == STATUS_OK)
        s = judge(folder, mine, its, step);
    if (s == STATUS_OK && *step == STUDY_ANEW)
        s = judge_longer(c, step);
    node_free(mine);
    node_free(its);
    return s;
}

/* --- finding a run again --- */

static bool is_free(const char *path)
{
    return resume_may_change(path) && !is_length(path);
}

static void remove_from(struct node *section, const char *name, bool (*test)(const char *path))
{
    for (int64_t i = section->count - 1; i >= 0; i--) {
        char *path = text_format("%s.%s", name, section->keys[i]);

        if (test(path))
            node_remove(section, section->keys[i]);
        mem_free(path);
    }
}

static void remove_all(struct node *root, bool (*test)(const char *path))
{
    for (int64_t i = 0; i < root->count; i++)
        if (root->children[i]->kind == NODE_MAP)
            remove_from(root->children[i], root->keys[i], test);
}

static uint64_t hash_of(const struct node *root)
{
    struct text yaml = {0};

    node_write(root, &yaml);
    const uint64_t hash = text_hash(text_get(&yaml));
    text_release(&yaml);
    return hash;
}

static struct study_print print_of(struct node *root)
{
    struct study_print p = {.all = hash_of(root)};

    remove_all(root, is_free);
    p.computed = hash_of(root);
    remove_all(root, is_length);
    p.endless = hash_of(root);
    return p;
}

enum status study_print_cell(const struct study_cell *c, struct study_print *p)
{
    struct node *root = NULL;

    TRY(dump_unnamed(c, &root));
    *p = print_of(root);
    node_free(root);
    return STATUS_OK;
}

enum status study_print_folder(const char *folder, struct study_print *p)
{
    struct node *root = NULL;
    const enum status s = load_past(folder, &root);

    if (s == STATUS_OK)
        *p = print_of(root);
    node_free(root);
    return s;
}

bool study_varies_alike(const struct study_cell *c, const char *folder)
{
    struct node *mine = NULL, *its = NULL;
    bool same = load_past(folder, &its) == STATUS_OK && dump_unnamed(c, &mine) == STATUS_OK;

    for (int64_t i = 0; same && i < c->values.count; i++)
        same = is_same(node_find_path(mine, c->values.items[i].path),
                       node_find_path(its, c->values.items[i].path));
    node_free(mine);
    node_free(its);
    return same;
}

/* --- going on --- */

static void keep_changeable(struct node *section, const char *name)
{
    for (int64_t i = section->count - 1; i >= 0; i--) {
        char *path = text_format("%s.%s", name, section->keys[i]);

        if (!resume_may_change(path))
            node_remove(section, section->keys[i]);
        mem_free(path);
    }
}

enum status study_changes(const struct study_cell *c, struct node **over)
{
    TRY(study_effective(c, over));
    for (int64_t i = (*over)->count - 1; i >= 0; i--) {
        struct node *section = (*over)->children[i];

        if (section->kind == NODE_MAP)
            keep_changeable(section, (*over)->keys[i]);
        if (section->kind != NODE_MAP || section->count == 0)
            node_remove(*over, (*over)->keys[i]);
    }
    return STATUS_OK;
}
