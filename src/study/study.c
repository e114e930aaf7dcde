/*
 * study.c - a study from its tree: every entry, every case, every seed.
 *
 * Not here: what the entries are (entries.c), the values of the lists (sweep.c), the names of the
 * runs (names.c), whether a run is valid (study_check.c).
 */
#include "study/study.h"

#include <string.h>

#include "algo/algo.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "study/drawn_cases.h"
#include "study/entries.h"
#include "study/names.h"
#include "study/overlay.h"
#include "study/random_cases.h"
#include "study/sweep.h"
#include "study/tune.h"
#include "train/run_config.h"

/* --- graphs --- */

static bool needs_graph(const struct node *root)
{
    struct overlay_choices chosen;

    overlay_choices_find(&chosen, node_find(root, "algorithm"), &algo_registry);
    const struct algo_ops *algo =
        chosen.count > 0 ? (const struct algo_ops *)registry_find(&algo_registry, chosen.names[0])
                         : NULL;
    mem_free(chosen.names);
    return algo != NULL && algo->needs_graph;
}

static bool any_needs_graph(const struct sweep_points *all, int64_t begin, int64_t end)
{
    bool found = false;

    for (int64_t i = begin; i < end; i++)
        found = found || needs_graph(all->items[i].root);
    return found;
}

/*
 * The graph of a study is for those of its runs that need one, if there are any, and the graph of
 * an entry is for the runs of that entry.
 */
static void drop_idle_graphs(struct study_entries *entries, const int64_t *ends,
                             struct sweep_points *all)
{
    const bool is_needed = any_needs_graph(all, 0, all->count);

    for (int64_t k = 0, i = 0; k < entries->count; k++) {
        const bool is_needed_here = any_needs_graph(all, i, ends[k]);

        if (is_needed && !is_needed_here && !entries->items[k].has_own_graph)
            node_remove(entries->items[k].root, "graph");
        for (; i < ends[k]; i++) {
            struct sweep_point *c = &all->items[i];

            if (entries->items[k].has_own_graph ? !is_needed_here : !is_needed)
                continue;
            if (!needs_graph(c->root))
                node_remove(c->root, "graph");
            sweep_values_drop_missing(&c->values, c->root);
        }
    }
}

/* --- folders of data --- */

static bool is_generated(const struct node *root)
{
    struct overlay_choices chosen;

    overlay_choices_find(&chosen, node_find(root, "data"), &dataset_registry);
    const struct entry *set =
        chosen.count > 0 ? registry_find(&dataset_registry, chosen.names[0]) : NULL;
    mem_free(chosen.names);
    return set != NULL && ((const struct dataset_ops *)(const void *)set)->is_generated;
}

/* Whether two nodes are the same position of the file. */
static bool is_one(const struct node *a, const struct node *b)
{
    return a != NULL && b != NULL && a->line == b->line && a->column == b->column &&
           strcmp(a->origin, b->origin) == 0;
}

/* --- the end of asynchronous runs --- */

static bool is_synchronous(const struct node *root)
{
    const struct node *section = node_find(root, "algorithm");
    struct choice chosen = {0};
    bool answer = false;

    if (section != NULL &&
        choice_read(&chosen, &algo_registry, section, &(struct choice_place){0}) == STATUS_OK)
        answer = !algo_is_asynchronous((const struct algo_ops *)chosen.entry, chosen.options);
    choice_release(&chosen);
    return answer;
}

/* --- values for some of the runs --- */

struct partial_value {
    const char *section, *key;
    bool (*is_idle)(const struct node *root); /* whether this run has no use for it */
};

static const struct node *find_value(const struct sweep_point *c, const struct partial_value *v)
{
    const struct node *section = node_find(c->root, v->section);

    return section == NULL || section->kind != NODE_MAP ? NULL : node_find(section, v->key);
}

/* One that several runs are given is for those of them that use it. */
static void drop_idle_values(struct sweep_points *all, const struct partial_value *v)
{
    for (int64_t i = 0; i < all->count; i++) {
        const struct node *value = find_value(&all->items[i], v);
        bool is_for_others = false;

        if (value == NULL || !v->is_idle(all->items[i].root))
            continue;
        for (int64_t k = 0; k < all->count && !is_for_others; k++)
            is_for_others =
                is_one(find_value(&all->items[k], v), value) && !v->is_idle(all->items[k].root);
        if (!is_for_others)
            continue;
        node_remove(node_find(all->items[i].root, v->section), v->key);
        sweep_values_drop_missing(&all->items[i].values, all->items[i].root);
    }
}

/* --- runs --- */

/* Fold and seed are the last of the values. */
static char *take_last(struct study_values *v, const char *path)
{
    if (v->count == 0 || strcmp(v->items[v->count - 1].path, path) != 0)
        return NULL;
    struct study_value *last = &v->items[--v->count];
    char *text = last->text;

    mem_free(last->path);
    mem_free(last->key);
    return text;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_case(const struct study_run *a, const struct study_run *b)
{
    bool same = same_text(a->entry, b->entry) && a->values.count == b->values.count;

    for (int64_t i = 0; same && i < a->values.count; i++)
        same = strcmp(a->values.items[i].path, b->values.items[i].path) == 0 &&
               sweep_same_value(a->values.items[i].text, b->values.items[i].text);
    return same;
}

static void run_release(struct study_run *c)
{
    mem_free(c->entry);
    mem_free(c->fold);
    mem_free(c->seed);
    mem_free(c->name);
    mem_free(c->full_name);
    sweep_values_release(&c->values);
    node_free(c->root);
    node_free(c->given);
    node_free(c->tune);
    *c = (struct study_run){0};
}

static struct node *take_tune(struct node *root)
{
    const struct node *given = node_find(root, SWEEP_TUNE);
    struct node *tune = node_is_null(given) ? NULL : node_copy(given);

    node_remove(root, SWEEP_TUNE);
    return tune;
}

/* Takes what the point holds. A run that is the same as an earlier one is not added again. */
static void add_run(struct study *s, const char *entry, struct sweep_point *c)
{
    struct study_run run = {.entry = entry == NULL ? NULL : mem_text(entry),
                            .values = c->values,
                            .root = c->root,
                            .case_number = s->case_count};
    bool is_there = false;

    *c = (struct sweep_point){0};
    run.tune = take_tune(run.root);
    run.seed = take_last(&run.values, "seed");
    run.fold = take_last(&run.values, SWEEP_FOLD);
    for (int64_t i = s->count - 1; i >= 0 && !is_there; i--)
        if (same_case(&s->runs[i], &run)) {
            run.case_number = s->runs[i].case_number;
            is_there = same_text(s->runs[i].seed, run.seed) && same_text(s->runs[i].fold, run.fold);
        }
    if (is_there) {
        run_release(&run);
        return;
    }
    s->case_count += run.case_number == s->case_count ? 1 : 0;
    s->runs[s->count++] = run;
}

/* --- the study --- */

static char *study_name(const struct study_entries *entries, const struct study_options *o)
{
    const struct node *name = node_find(entries->items[0].root, "name");

    if (name != NULL && name->kind == NODE_SCALAR && !name->is_null)
        return mem_text(name->text);
    return mem_text(o->name != NULL ? o->name : "study");
}

/* Lists of the file count also where `quick` or flags leave one value of each: the folder is that
 * of a study, to continue in without them. */
static bool has_lists(const struct node *root)
{
    static const char *const others[] = {"runs",   "baselines", "quick",
                                         "output", "landscape", "published"};
    struct node *base = node_copy(root);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        node_remove(base, others[i]);
    overlay_normalize(base);
    const bool found = sweep_has_lists(base);
    node_free(base);
    return found;
}

/* The entries in full, as a file that makes the same study. */
static struct node *in_full(const struct study_entries *entries, const char *name)
{
    if (entries->items[0].name == NULL) {
        struct node *root = node_copy(entries->items[0].root);

        node_put(root, "name", node_new_scalar(name, "study", 0, 0));
        return root;
    }
    struct node *root = node_new(NODE_MAP, "study", 0, 0);
    struct node *runs = node_new(NODE_MAP, "study", 0, 0);

    node_put(root, "name", node_new_scalar(name, "study", 0, 0));
    node_put(root, "runs", runs);
    for (int64_t i = 0; i < entries->count; i++) {
        struct node *run = node_copy(entries->items[i].root);

        node_remove(run, "name");
        node_put(runs, entries->items[i].name, run);
    }
    return root;
}

/* Whether there is a range, of which values can only be drawn. */
static enum status find_ranges(const struct study_entries *entries, int64_t random, bool *found)
{
    struct range_place first;
    enum status s = drawn_cases_find_range(entries, &first);

    *found = s == STATUS_OK && first.value != NULL;
    if (*found && random == 0)
        s = node_fail_key(first.value, first.path, NULL,
                          "the range %s needs muster search with --random N, which draws from it",
                          first.value->text);
    if (*found)
        mem_free(first.path);
    return s;
}

static enum status sweep_entries(const struct study_entries *entries, int64_t random,
                                 struct sweep_points *all, int64_t *ends)
{
    bool has_ranges = false;

    TRY(find_ranges(entries, random, &has_ranges));
    if (has_ranges)
        return drawn_cases_make(entries, random, all, ends);
    for (int64_t i = 0; i < entries->count; i++) {
        TRY(sweep_expand(all, entries->items[i].root));
        ends[i] = all->count;
    }
    return STATUS_OK;
}

static void make_runs(struct study *s, struct study_entries *entries, struct sweep_points *all,
                      const int64_t *ends)
{
    s->runs = MEM_NEW_N(struct study_run, all->count);
    if (!s->is_single)
        drop_idle_graphs(entries, ends, all);
    drop_idle_values(all, &(struct partial_value){"data", "dir", is_generated});
    drop_idle_values(all, &(struct partial_value){"train", "ends", is_synchronous});
    for (int64_t k = 0, i = 0; k < entries->count; k++)
        for (; i < ends[k]; i++)
            add_run(s, entries->items[k].name, &all->items[i]);
    if (s->is_single)
        s->runs[0].name = mem_text(s->name);
    else
        names_assign(s);
}

static bool has_entry(const struct study_entries *entries, const char *name)
{
    for (int64_t i = 0; i < entries->count; i++)
        if (entries->items[i].name != NULL && strcmp(entries->items[i].name, name) == 0)
            return true;
    return false;
}

/* All names of output.models are those of entries, of which `quick` may leave out some. */
static enum status check_models(const struct study_output *o, const struct study_entries *entries,
                                const struct node *root)
{
    const char *rest = o->models;
    enum status s = STATUS_OK;

    while (rest != NULL && strcmp(o->models, OUTPUT_MODELS_ALL) != 0 && s == STATUS_OK) {
        char *name = output_next_name(&rest);

        if (name == NULL)
            return STATUS_OK;
        if (!has_entry(entries, name))
            s = node_fail_key(node_find_path(root, "output.models"), "output", "models",
                              "unknown run %s; use a name of `runs`, or all", name);
        mem_free(name);
    }
    return s;
}

/* What a resumed study needs in addition to its runs. */
static void keep_for_resume(struct study *s, const struct node *root)
{
    if (s->output.results != OUTPUT_RESULTS_NONE)
        node_put_path(s->root, "output.results", node_copy(node_find_path(root, "output.results")));
    if (s->output.results_maps != OUTPUT_MAPS_NONE)
        node_put_path(s->root, "output.results_maps",
                      node_copy(node_find_path(root, "output.results_maps")));
    if (s->output.results_batch > 0)
        node_put_path(s->root, "output.results_batch",
                      node_copy(node_find_path(root, "output.results_batch")));
    if (s->output.models != NULL)
        node_put_path(s->root, "output.models", node_copy(node_find_path(root, "output.models")));
    if (s->landscape.is_wanted) {
        struct node *section = node_new(NODE_MAP, "study", 0, 0);

        fields_dump(landscape_fields, &s->landscape, section);
        node_put(s->root, "landscape", section);
    }
}

enum status study_new(const struct node *root, const struct study_options *options,
                      struct study **study)
{
    struct study_entries entries = {0};
    struct sweep_points all = {0};

    struct study_output output;
    struct landscape_options landscape;

    *study = NULL;
    TRY(entries_make(&entries, root, options));
    int64_t *ends = MEM_NEW_N(int64_t, entries.count);
    enum status s = run_config_check_name(entries.items[0].root);
    if (s == STATUS_OK)
        s = sweep_entries(&entries, options->random, &all, ends);
    if (s == STATUS_OK)
        s = landscape_options_read(&landscape, root, options->quick);
    if (s == STATUS_OK)
        s = output_read(&output, root);
    if (s == STATUS_OK) {
        s = options->quick ? STATUS_OK : check_models(&output, &entries, root);
        if (s != STATUS_OK)
            output_release(&output);
    }
    if (s == STATUS_OK) {
        *study = MEM_NEW(struct study);
        (*study)->output = output;
        (*study)->landscape = landscape;
        (*study)->is_single = !options->is_many && !landscape.is_wanted &&
                              !output_is_about_study(node_find(root, "output")) &&
                              entries.items[0].name == NULL && all.count == 1 &&
                              all.items[0].values.count == 0 && !has_lists(root) &&
                              node_is_null(node_find(all.items[0].root, SWEEP_TUNE));
        (*study)->name = study_name(&entries, options);
        make_runs(*study, &entries, &all, ends);
        if (options->random > 0)
            random_cases_select(*study, options->random);
        (*study)->root = in_full(&entries, (*study)->name);
        keep_for_resume(*study, root);
        s = tune_prepare(*study);
        if (s != STATUS_OK) {
            study_free(*study);
            *study = NULL;
        }
    }
    mem_free(ends);
    sweep_points_release(&all);
    entries_release(&entries);
    return s;
}

void study_free(struct study *s)
{
    if (s == NULL)
        return;
    for (int64_t i = 0; i < s->count; i++)
        run_release(&s->runs[i]);
    mem_free(s->runs);
    study_free(s->tuning);
    output_release(&s->output);
    mem_free(s->name);
    node_free(s->root);
    mem_free(s);
}
