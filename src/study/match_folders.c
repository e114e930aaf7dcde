/*
 * match_folders.c - finds the runs of earlier calls, and renames their folders to today's names.
 */
#include "study/match_folders.h"

#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "record/result.h"
#include "record/rundir.h"
#include "study/compared_run.h"
#include "study/resume_decision.h"
#include "study/settings.h"

/* --- the folders --- */

static enum status read_found(struct found_run *p, const char *folder, const char *name)
{
    struct compared_run result;
    char *path = file_join(folder, name);
    const enum status s = fingerprint_of_folder(path, &p->fingerprint);

    p->name = mem_text(name);
    p->run = -1;
    /* a damaged result is that of a run to resume: resume_decision.c warns of it */
    p->is_finished = s == STATUS_OK && compared_run_read(path, &result) == STATUS_OK &&
                     result.state == RESULT_FINISHED;
    mem_free(path);
    return s;
}

static enum status read_all(struct match_folders *a, const char *folder)
{
    struct rundir_names names = {0};
    enum status s = rundir_folders(folder, resume_decision_has_begun, &names);

    a->found = MEM_NEW_N(struct found_run, names.count);
    for (int64_t i = 0; i < names.count && s == STATUS_OK; i++)
        s = read_found(&a->found[a->count++], folder, names.items[i]);
    rundir_names_release(&names);
    return s;
}

/* --- matching --- */

/* The search for pairs of a run and a folder. */
struct search {
    struct match_folders *matches;
    const struct study *study;
    const char *folder;
    const struct fingerprint *fingerprints; /* [study->count] */
};

static void assign(const struct search *x, int64_t run, int64_t found)
{
    x->matches->found_of[run] = found;
    x->matches->found[found].run = run;
}

static bool is_named(const struct search *x, int64_t run, int64_t found)
{
    return strcmp(x->matches->found[found].name, x->study->runs[run].name) == 0;
}

static bool is_equal(const struct search *x, int64_t run, int64_t found)
{
    return x->matches->found[found].fingerprint.all == x->fingerprints[run].all;
}

static bool is_own(const struct search *x, int64_t run, int64_t found)
{
    return is_equal(x, run, found) && is_named(x, run, found);
}

static bool varies_alike(const struct search *x, int64_t run, int64_t found)
{
    char *path = file_join(x->folder, x->matches->found[found].name);
    const bool same = settings_vary_alike(&x->study->runs[run], path);

    mem_free(path);
    return same;
}

static bool is_alike(const struct search *x, int64_t run, int64_t found)
{
    return x->matches->found[found].fingerprint.computed == x->fingerprints[run].computed &&
           varies_alike(x, run, found);
}

/* For example a short trial that the run continues. */
static bool is_shorter(const struct search *x, int64_t run, int64_t found)
{
    enum resume_decision decision;

    if (x->matches->found[found].fingerprint.endless != x->fingerprints[run].endless ||
        !varies_alike(x, run, found))
        return false;
    char *path = file_join(x->folder, x->matches->found[found].name);
    const enum status s = resume_decision_make(&x->study->runs[run], path, &decision);
    mem_free(path);
    return s == STATUS_OK;
}

/* -1: none. Of several a finished one. */
static int64_t find_match(const struct search *x, int64_t run,
                          bool (*test)(const struct search *, int64_t, int64_t))
{
    int64_t found = -1;

    for (int64_t i = 0; i < x->matches->count; i++) {
        const struct found_run *p = &x->matches->found[i];

        if (p->run < 0 && (found < 0 || p->is_finished) && test(x, run, i)) {
            found = i;
            if (p->is_finished)
                break;
        }
    }
    return found;
}

static void assign_all(const struct search *x,
                       bool (*test)(const struct search *, int64_t, int64_t))
{
    for (int64_t c = 0; c < x->study->count; c++) {
        const int64_t found = x->matches->found_of[c] < 0 ? find_match(x, c, test) : -1;

        if (found >= 0)
            assign(x, c, found);
    }
}

/* A folder with the run's name and other settings: the run continues it, or it is in the way. */
static enum status assign_named(const struct search *x)
{
    for (int64_t c = 0; c < x->study->count; c++) {
        const struct study_run *run = &x->study->runs[c];
        const int64_t found = x->matches->found_of[c] < 0 ? find_match(x, c, is_named) : -1;
        enum resume_decision decision;

        if (found < 0)
            continue;
        char *path = file_join(x->folder, run->name);
        const enum status s = resume_decision_make(run, path, &decision);
        mem_free(path);
        if (s == STATUS_OK)
            assign(x, c, found);
        else if (!run->is_left_out)
            return s;
    }
    return STATUS_OK;
}

static enum status match_runs(const struct search *x)
{
    assign_all(x, is_own);
    assign_all(x, is_equal);
    TRY(assign_named(x));
    assign_all(x, is_alike);
    assign_all(x, is_shorter);
    return STATUS_OK;
}

static enum status match_all(struct match_folders *a, const struct study *s, const char *folder)
{
    struct fingerprint *fingerprints = MEM_NEW_N(struct fingerprint, s->count);
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++)
        status = fingerprint_of_run(&s->runs[i], &fingerprints[i]);
    if (status == STATUS_OK)
        status = match_runs(&(struct search){a, s, folder, fingerprints});
    mem_free(fingerprints);
    return status;
}

enum status match_folders_find(struct match_folders *a, const struct study *s, const char *folder)
{
    *a = (struct match_folders){.found_of = MEM_NEW_N(int64_t, s->count)};
    for (int64_t i = 0; i < s->count; i++)
        a->found_of[i] = -1;
    enum status status = read_all(a, folder);
    if (status == STATUS_OK && a->count > 0)
        status = match_all(a, s, folder);
    if (status != STATUS_OK)
        match_folders_release(a);
    return status;
}

const char *match_folders_name(const struct match_folders *a, int64_t run)
{
    return a->found_of == NULL || a->found_of[run] < 0 ? NULL : a->found[a->found_of[run]].name;
}

/* --- renaming --- */

static bool moves(const struct found_run *p, const struct study *s)
{
    return p->run >= 0 && strcmp(p->name, s->runs[p->run].name) != 0;
}

/* A name is the first key, also where there was none. */
static enum status rename_in_yaml(const char *folder, const char *file, const char *name)
{
    char *path = file_join(folder, file);
    struct node *root = NULL, *named = node_new(NODE_MAP, "study", 0, 0);
    struct text yaml = {0};
    enum status s = yaml_load(path, &root);

    if (s == STATUS_OK) {
        node_remove(root, "name");
        node_put(named, "name", node_new_scalar(name, "study", 0, 0));
        node_overlay(named, root);
        node_write(named, &yaml);
        s = file_write_text(path, text_get(&yaml));
    }
    text_release(&yaml);
    node_free(named);
    node_free(root);
    mem_free(path);
    return s;
}

/* What stands in the way, and what another process works in, is found before anything moves. */
static enum status check_move(const struct match_folders *a, const struct study *s,
                              const struct found_run *p, const char *folder)
{
    const char *name = s->runs[p->run].name;
    char *from = file_join(folder, p->name), *to = file_join(folder, name);
    bool is_free = !file_exists(to);
    struct lock lock = {0};
    enum status status = lock_take(&lock, from);

    lock_release(&lock);
    for (int64_t i = 0; i < a->count; i++)
        is_free = is_free || (strcmp(a->found[i].name, name) == 0 && moves(&a->found[i], s));
    if (status == STATUS_OK && !is_free)
        status = FAIL(STATUS_BAD_INPUT,
                      "%s: already exists, so %s cannot be renamed to it to match the experiment "
                      "file; remove or rename one of them",
                      to, from);
    mem_free(from);
    mem_free(to);
    return status;
}

/* The names inside come first: then a folder with its new name is done. Two steps, because
 * names may go round. */
static enum status move_aside(const struct found_run *p, const char *name, const char *folder)
{
    char *from = file_join(folder, p->name), *path = file_join(folder, name);
    char *aside = text_format("%s.moving", path);

    rundir_sweep(from); /* of what a killed call was writing here */
    enum status s = rename_in_yaml(from, "experiment.yaml", name);
    if (s == STATUS_OK)
        s = rename_in_yaml(from, "effective.yaml", name);
    if (s == STATUS_OK)
        s = result_rename(from, name, path);
    if (s == STATUS_OK && strcmp(from, aside) != 0)
        s = file_rename(from, aside);
    mem_free(from);
    mem_free(path);
    mem_free(aside);
    return s;
}

static enum status move_back(const char *name, const char *folder)
{
    char *path = file_join(folder, name);
    char *aside = text_format("%s.moving", path);
    const enum status s = file_rename(aside, path);

    mem_free(path);
    mem_free(aside);
    return s;
}

enum status match_folders_rename(const struct match_folders *a, const struct study *s,
                                 const char *folder)
{
    int64_t moved = 0;

    for (int64_t i = 0; i < a->count; i++)
        if (moves(&a->found[i], s))
            TRY(check_move(a, s, &a->found[i], folder));
    for (int64_t i = 0; i < a->count; i++)
        if (moves(&a->found[i], s))
            TRY(move_aside(&a->found[i], s->runs[a->found[i].run].name, folder));
    for (int64_t i = 0; i < a->count; i++)
        if (moves(&a->found[i], s)) {
            TRY(move_back(s->runs[a->found[i].run].name, folder));
            moved++;
        }
    if (moved > 0)
        log_info("renamed %lld existing runs to match the experiment file", (long long)moved);
    return STATUS_OK;
}

void match_folders_warn(const struct match_folders *a, const char *folder)
{
    struct rundir_names names = {0};
    struct text list = {0};

    for (int64_t i = 0; i < a->count; i++)
        if (a->found[i].run < 0)
            rundir_names_add(&names, a->found[i].name);
    if (names.count > 0) {
        rundir_names_text(&names, &list);
        log_warning("%s: these folders match no run of this experiment and are left untouched: %s",
                    folder, text_get(&list));
    }
    text_release(&list);
    rundir_names_release(&names);
}

void match_folders_release(struct match_folders *a)
{
    for (int64_t i = 0; i < a->count; i++)
        mem_free(a->found[i].name);
    mem_free(a->found);
    mem_free(a->found_of);
    *a = (struct match_folders){0};
}
