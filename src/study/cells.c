/*
 * cells.c - a study from its tree: every case, every combination, every seed.
 *
 * Not here: what the cases are (cases.c), how lists are gone through (sweep.c), how cells are
 * called (names.c), whether a cell can be run (check.c).
 */
#include <string.h>

#include "algo/algo.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "study/cases.h"
#include "study/names.h"
#include "study/sections.h"
#include "study/study.h"
#include "study/sweep.h"

/* --- graphs --- */

static bool needs_graph(const struct node *root)
{
    struct section_names chosen;

    section_names_find(&chosen, node_find(root, "algorithm"), &algo_registry);
    const struct algo_ops *algo =
        chosen.count > 0 ? (const struct algo_ops *)registry_find(&algo_registry, chosen.names[0])
                         : NULL;
    mem_free(chosen.names);
    return algo != NULL && algo->needs_graph;
}

static bool any_needs_graph(const struct combinations *all, int64_t begin, int64_t end)
{
    bool found = false;

    for (int64_t i = begin; i < end; i++)
        found = found || needs_graph(all->items[i].root);
    return found;
}

/*
 * The graph of an experiment is for those of its runs that look at one, if there are such, and the
 * graph that a run itself gives is for those of its own.
 */
static void drop_idle_graphs(struct study_cases *cases, const int64_t *ends,
                             struct combinations *all)
{
    const bool is_needed = any_needs_graph(all, 0, all->count);

    for (int64_t k = 0, i = 0; k < cases->count; k++) {
        const bool is_needed_here = any_needs_graph(all, i, ends[k]);

        if (is_needed && !is_needed_here && !cases->items[k].has_own_graph)
            node_remove(cases->items[k].root, "graph");
        for (; i < ends[k]; i++) {
            struct combination *c = &all->items[i];

            if (cases->items[k].has_own_graph ? !is_needed_here : !is_needed)
                continue;
            if (!needs_graph(c->root))
                node_remove(c->root, "graph");
            study_values_forget(&c->values, c->root);
        }
    }
}

/* --- folders of data --- */

static bool is_generated(const struct node *root)
{
    struct section_names chosen;

    section_names_find(&chosen, node_find(root, "data"), &dataset_registry);
    const struct entry *set =
        chosen.count > 0 ? registry_find(&dataset_registry, chosen.names[0]) : NULL;
    mem_free(chosen.names);
    return set != NULL && ((const struct dataset_ops *)(const void *)set)->is_generated;
}

/* Whether two nodes are what the file has at one place. */
static bool is_one(const struct node *a, const struct node *b)
{
    return a != NULL && b != NULL && a->line == b->line && a->column == b->column &&
           strcmp(a->origin, b->origin) == 0;
}

/* A folder that several runs are given is for those of them that read one. */
static void drop_idle_dirs(struct combinations *all)
{
    int64_t read = 0; /* the first that reads one */

    while (read < all->count && is_generated(all->items[read].root))
        read++;
    for (int64_t i = 0; i < all->count && read < all->count; i++) {
        const struct node *dir = node_find_path(all->items[i].root, "data.dir");
        bool is_for_others = false;

        if (dir == NULL || !is_generated(all->items[i].root))
            continue;
        for (int64_t k = read; k < all->count && !is_for_others; k++)
            is_for_others = is_one(node_find_path(all->items[k].root, "data.dir"), dir) &&
                            !is_generated(all->items[k].root);
        if (!is_for_others)
            continue;
        node_remove(node_find(all->items[i].root, "data"), "dir");
        study_values_forget(&all->items[i].values, all->items[i].root);
    }
}

/* --- cells --- */

/* The seed is the last of a combination's values. */
static char *take_seed(struct study_values *v)
{
    if (v->count == 0 || strcmp(v->items[v->count - 1].path, "seed") != 0)
        return NULL;
    struct study_value *seed = &v->items[--v->count];
    char *text = seed->text;

    mem_free(seed->path);
    mem_free(seed->key);
    return text;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_combination(const struct study_cell *a, const struct study_cell *b)
{
    bool same = same_text(a->run, b->run) && a->values.count == b->values.count;

    for (int64_t i = 0; same && i < a->values.count; i++)
        same = strcmp(a->values.items[i].path, b->values.items[i].path) == 0 &&
               study_same_value(a->values.items[i].text, b->values.items[i].text);
    return same;
}

static void cell_release(struct study_cell *c)
{
    mem_free(c->run);
    mem_free(c->seed);
    mem_free(c->name);
    mem_free(c->full_name);
    study_values_release(&c->values);
    node_free(c->root);
    *c = (struct study_cell){0};
}

/* Takes what the combination holds. One that came to the same as an earlier one is not run again.
 */
static void add_cell(struct study *s, const char *run, struct combination *c)
{
    struct study_cell cell = {.run = run == NULL ? NULL : mem_text(run),
                              .values = c->values,
                              .root = c->root,
                              .combination = s->combinations};
    bool is_there = false;

    *c = (struct combination){0};
    cell.seed = take_seed(&cell.values);
    for (int64_t i = s->count - 1; i >= 0 && !is_there; i--)
        if (same_combination(&s->cells[i], &cell)) {
            cell.combination = s->cells[i].combination;
            is_there = same_text(s->cells[i].seed, cell.seed);
        }
    if (is_there) {
        cell_release(&cell);
        return;
    }
    s->combinations += cell.combination == s->combinations ? 1 : 0;
    s->cells[s->count++] = cell;
}

/* --- the study --- */

static char *study_name(const struct study_cases *cases, const struct study_options *o)
{
    const struct node *name = node_find(cases->items[0].root, "name");

    if (name != NULL && name->kind == NODE_SCALAR && !name->is_null)
        return mem_text(name->text);
    return mem_text(o->name != NULL ? o->name : "study");
}

/* Lists of the file count also where `quick` or flags leave one value of each: the folder is that
 * of an experiment, to go on in without them. */
static bool has_lists(const struct node *root)
{
    static const char *const others[] = {"runs", "baselines", "quick", "output", "published"};
    struct node *base = node_copy(root);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        node_remove(base, others[i]);
    sections_normalize(base);
    const bool found = sweep_has_lists(base);
    node_free(base);
    return found;
}

/* The cases in full, as a file that makes the same study. */
static struct node *in_full(const struct study_cases *cases, const char *name)
{
    if (cases->items[0].name == NULL) {
        struct node *root = node_copy(cases->items[0].root);

        node_put(root, "name", node_new_scalar(name, "study", 0, 0));
        return root;
    }
    struct node *root = node_new(NODE_MAP, "study", 0, 0);
    struct node *runs = node_new(NODE_MAP, "study", 0, 0);

    node_put(root, "name", node_new_scalar(name, "study", 0, 0));
    node_put(root, "runs", runs);
    for (int64_t i = 0; i < cases->count; i++) {
        struct node *run = node_copy(cases->items[i].root);

        node_remove(run, "name");
        node_put(runs, cases->items[i].name, run);
    }
    return root;
}

static enum status sweep_cases(const struct study_cases *cases, struct combinations *all,
                               int64_t *ends)
{
    for (int64_t i = 0; i < cases->count; i++) {
        TRY(sweep(all, cases->items[i].root));
        ends[i] = all->count;
    }
    return STATUS_OK;
}

static void make_cells(struct study *s, struct study_cases *cases, struct combinations *all,
                       const int64_t *ends)
{
    s->cells = MEM_NEW_N(struct study_cell, all->count);
    if (!s->is_single)
        drop_idle_graphs(cases, ends, all);
    drop_idle_dirs(all);
    for (int64_t k = 0, i = 0; k < cases->count; k++)
        for (; i < ends[k]; i++)
            add_cell(s, cases->items[k].name, &all->items[i]);
    if (s->is_single)
        s->cells[0].name = mem_text(s->name);
    else
        study_name_cells(s);
}

enum status study_new(const struct node *root, const struct study_options *options,
                      struct study **study)
{
    struct study_cases cases = {0};
    struct combinations all = {0};

    struct study_output output;

    *study = NULL;
    TRY(study_cases_make(&cases, root, options));
    int64_t *ends = MEM_NEW_N(int64_t, cases.count);
    enum status s = sweep_cases(&cases, &all, ends);
    if (s == STATUS_OK)
        s = study_output_read(&output, root);
    if (s == STATUS_OK) {
        *study = MEM_NEW(struct study);
        (*study)->output = output;
        (*study)->is_single = !options->is_many && node_find(root, "output") == NULL &&
                              cases.items[0].name == NULL && all.count == 1 &&
                              all.items[0].values.count == 0 && !has_lists(root);
        (*study)->name = study_name(&cases, options);
        make_cells(*study, &cases, &all, ends);
        (*study)->root = in_full(&cases, (*study)->name);
    }
    mem_free(ends);
    combinations_release(&all);
    study_cases_release(&cases);
    return s;
}

void study_free(struct study *s)
{
    if (s == NULL)
        return;
    for (int64_t i = 0; i < s->count; i++)
        cell_release(&s->cells[i]);
    mem_free(s->cells);
    study_output_release(&s->output);
    mem_free(s->name);
    node_free(s->root);
    mem_free(s);
}
