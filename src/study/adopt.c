/*
 * adopt.c - finds the runs of earlier calls again, and gives their folders the names of today.
 */
#include "study/adopt.h"

#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "metrics/rundir.h"
#include "study/result.h"

/* --- what there is --- */

static enum status read_past(struct study_past *p, const char *folder, const char *name)
{
    struct study_result result;
    char *path = file_join(folder, name);
    enum status s = study_print_folder(path, &p->print);

    p->name = mem_text(name);
    p->cell = -1;
    if (s == STATUS_OK)
        s = study_result_read(path, &result);
    p->is_finished = s == STATUS_OK && result.state == STUDY_FINISHED;
    mem_free(path);
    return s;
}

static enum status read_all(struct adoption *a, const char *folder)
{
    struct rundir_names names = {0};
    enum status s = rundir_folders(folder, study_has_begun, &names);

    a->past = MEM_NEW_N(struct study_past, names.count);
    for (int64_t i = 0; i < names.count && s == STATUS_OK; i++)
        s = read_past(&a->past[a->count++], folder, names.items[i]);
    rundir_names_release(&names);
    return s;
}

/* --- whose it is --- */

/* What is looked for: the pairs of a cell and a run that belong together. */
struct search {
    struct adoption *adoption;
    const struct study *study;
    const char *folder;
    const struct study_print *prints; /* [study->count] */
};

static void take(const struct search *x, int64_t cell, int64_t past)
{
    x->adoption->past_of[cell] = past;
    x->adoption->past[past].cell = cell;
}

static bool is_named(const struct search *x, int64_t cell, int64_t past)
{
    return strcmp(x->adoption->past[past].name, x->study->cells[cell].name) == 0;
}

static bool is_equal(const struct search *x, int64_t cell, int64_t past)
{
    return x->adoption->past[past].print.all == x->prints[cell].all;
}

static bool is_own(const struct search *x, int64_t cell, int64_t past)
{
    return is_equal(x, cell, past) && is_named(x, cell, past);
}

static bool varies_alike(const struct search *x, int64_t cell, int64_t past)
{
    char *path = file_join(x->folder, x->adoption->past[past].name);
    const bool same = study_varies_alike(&x->study->cells[cell], path);

    mem_free(path);
    return same;
}

static bool is_alike(const struct search *x, int64_t cell, int64_t past)
{
    return x->adoption->past[past].print.computed == x->prints[cell].computed &&
           varies_alike(x, cell, past);
}

/* A trial, say, from which the cell goes on. */
static bool is_shorter(const struct search *x, int64_t cell, int64_t past)
{
    enum study_step step;

    if (x->adoption->past[past].print.endless != x->prints[cell].endless ||
        !varies_alike(x, cell, past))
        return false;
    char *path = file_join(x->folder, x->adoption->past[past].name);
    const enum status s = study_state(&x->study->cells[cell], path, &step);
    mem_free(path);
    return s == STATUS_OK;
}

/* -1: none. Of several a finished one. */
static int64_t find(const struct search *x, int64_t cell,
                    bool (*test)(const struct search *, int64_t, int64_t))
{
    int64_t found = -1;

    for (int64_t i = 0; i < x->adoption->count; i++) {
        const struct study_past *p = &x->adoption->past[i];

        if (p->cell < 0 && (found < 0 || p->is_finished) && test(x, cell, i)) {
            found = i;
            if (p->is_finished)
                break;
        }
    }
    return found;
}

static void take_all(const struct search *x, bool (*test)(const struct search *, int64_t, int64_t))
{
    for (int64_t c = 0; c < x->study->count; c++) {
        const int64_t found = x->adoption->past_of[c] < 0 ? find(x, c, test) : -1;

        if (found >= 0)
            take(x, c, found);
    }
}

/* A run with the cell's name and other settings: the cell goes on with it, or it is in the way. */
static enum status take_named(const struct search *x)
{
    for (int64_t c = 0; c < x->study->count; c++) {
        const struct study_cell *cell = &x->study->cells[c];
        const int64_t found = x->adoption->past_of[c] < 0 ? find(x, c, is_named) : -1;
        enum study_step step;

        if (found < 0)
            continue;
        char *path = file_join(x->folder, cell->name);
        const enum status s = study_state(cell, path, &step);
        mem_free(path);
        if (s == STATUS_OK)
            take(x, c, found);
        else if (!cell->is_left_out)
            return s;
    }
    return STATUS_OK;
}

static enum status match(const struct search *x)
{
    take_all(x, is_own);
    take_all(x, is_equal);
    TRY(take_named(x));
    take_all(x, is_alike);
    take_all(x, is_shorter);
    return STATUS_OK;
}

static enum status match_all(struct adoption *a, const struct study *s, const char *folder)
{
    struct study_print *prints = MEM_NEW_N(struct study_print, s->count);
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < s->count && status == STATUS_OK; i++)
        status = study_print_cell(&s->cells[i], &prints[i]);
    if (status == STATUS_OK)
        status = match(&(struct search){a, s, folder, prints});
    mem_free(prints);
    return status;
}

enum status adoption_find(struct adoption *a, const struct study *s, const char *folder)
{
    *a = (struct adoption){.past_of = MEM_NEW_N(int64_t, s->count)};
    for (int64_t i = 0; i < s->count; i++)
        a->past_of[i] = -1;
    enum status status = read_all(a, folder);
    if (status == STATUS_OK && a->count > 0)
        status = match_all(a, s, folder);
    if (status != STATUS_OK)
        adoption_release(a);
    return status;
}

const char *adoption_name(const struct adoption *a, int64_t cell)
{
    return a->past_of == NULL || a->past_of[cell] < 0 ? NULL : a->past[a->past_of[cell]].name;
}

/* --- renaming --- */

static bool moves(const struct study_past *p, const struct study *s)
{
    return p->cell >= 0 && strcmp(p->name, s->cells[p->cell].name) != 0;
}

static enum status rename_in_yaml(const char *folder, const char *file, const char *name)
{
    char *path = file_join(folder, file);
    struct node *root = NULL;
    struct text yaml = {0};
    enum status s = yaml_load(path, &root);

    if (s == STATUS_OK) {
        node_put(root, "name", node_new_scalar(name, "study", 0, 0));
        node_write(root, &yaml);
        s = file_write_text(path, text_get(&yaml));
    }
    text_release(&yaml);
    node_free(root);
    mem_free(path);
    return s;
}

/* What stands in the way, and what another process works in, is found before anything moves. */
static enum status check_move(const struct adoption *a, const struct study *s,
                              const struct study_past *p, const char *folder)
{
    const char *name = s->cells[p->cell].name;
    char *from = file_join(folder, p->name), *to = file_join(folder, name);
    bool is_free = !file_exists(to);
    struct lock lock = {0};
    enum status status = lock_take(&lock, from);

    lock_release(&lock);
    for (int64_t i = 0; i < a->count; i++)
        is_free = is_free || (strcmp(a->past[i].name, name) == 0 && moves(&a->past[i], s));
    if (status == STATUS_OK && !is_free)
        status =
            FAIL(STATUS_BAD_INPUT,
                 "%s: is in the way of %s, which is this run as the file has it now; remove or "
                 "rename one of them",
                 to, from);
    mem_free(from);
    mem_free(to);
    return status;
}

/* The names inside come first: then a folder with its new name is done. Two steps, because
 * names may go round. */
static enum status move_aside(const struct study_past *p, const char *name, const char *folder)
{
    char *from = file_join(folder, p->name), *path = file_join(folder, name);
    char *aside = text_format("%s.moving", path);

    rundir_sweep(from); /* of what a killed call was writing here */
    enum status s = rename_in_yaml(from, "experiment.yaml", name);
    if (s == STATUS_OK)
        s = rename_in_yaml(from, "effective.yaml", name);
    if (s == STATUS_OK)
        s = study_result_rename(from, name, path);
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

enum status adoption_move(const struct adoption *a, const struct study *s, const char *folder)
{
    int64_t moved = 0;

    for (int64_t i = 0; i < a->count; i++)
        if (moves(&a->past[i], s))
            TRY(check_move(a, s, &a->past[i], folder));
    for (int64_t i = 0; i < a->count; i++)
        if (moves(&a->past[i], s))
            TRY(move_aside(&a->past[i], s->cells[a->past[i].cell].name, folder));
    for (int64_t i = 0; i < a->count; i++)
        if (moves(&a->past[i], s)) {
            TRY(move_back(s->cells[a->past[i].cell].name, folder));
            moved++;
        }
    if (moved > 0)
        log_info("%lld runs of earlier calls have other names now", (long long)moved);
    return STATUS_OK;
}

void adoption_tell(const struct adoption *a, const char *folder)
{
    struct rundir_names names = {0};
    struct text list = {0};

    for (int64_t i = 0; i < a->count; i++)
        if (a->past[i].cell < 0)
            rundir_names_add(&names, a->past[i].name);
    if (names.count > 0) {
        rundir_names_text(&names, &list);
        log_warning("%s: these belong to no run of this experiment as it is now, and are left as "
                    "they are: %s",
                    folder, text_get(&list));
    }
    text_release(&list);
    rundir_names_release(&names);
}

void adoption_release(struct adoption *a)
{
    for (int64_t i = 0; i < a->count; i++)
        mem_free(a->past[i].name);
    mem_free(a->past);
    mem_free(a->past_of);
    *a = (struct adoption){0};
}
