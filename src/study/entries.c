/*
 * entries.c - from a file's tree to full settings, one tree per entry of `runs` and `baselines`.
 *
 * An entry of `runs` is the base settings overlaid with its own, then with `quick`, then with the
 * flags. A baseline is the base settings with quick and flags, and then made into what its name
 * says: flags do not turn a baseline into something else.
 */
#include "study/entries.h"

#include <string.h>

#include "algo/algo.h"
#include "base/mem.h"
#include "study/output.h"
#include "study/overlay.h"
#include "study/tune.h"
#include "train/run_config.h"

/* The parts of a study's file. */
struct parts {
    struct node *base;                         /* owned; the base settings */
    struct node *runs, *baselines, *quick;     /* owned; NULL: not given */
    struct node *quick_runs, *quick_baselines; /* what quick says about entries, taken out of it */
    const struct study_options *options;
};

/* --- taking the file apart --- */

static struct node *take_key(struct node *root, const char *key)
{
    const struct node *n = node_find(root, key);
    struct node *taken = node_is_null(n) ? NULL : node_copy(n);

    node_remove(root, key);
    return taken;
}

/* What applies to the whole study belongs at the top level, not in one entry. */
static enum status check_run_key(const struct node *run, int64_t at, const char *name)
{
    static const char *const whole[] = {"runs",      "baselines", "quick", "output",
                                        "landscape", "published", "search"};

    if (strcmp(run->keys[at], "name") == 0)
        return node_fail(run->children[at],
                         "runs.%s.name: remove it; the run is already named by its key, %s", name,
                         name);
    if (text_same_name(run->keys[at], "output") && !output_is_about_study(run->children[at]))
        return STATUS_OK;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (text_same_name(run->keys[at], whole[i]))
            return node_fail(run->children[at],
                             "runs.%s.%s: applies to all runs; move it to the top level", name,
                             run->keys[at]);
    return STATUS_OK;
}

static enum status check_runs(const struct node *runs)
{
    if (runs->kind != NODE_MAP || runs->count == 0)
        return node_fail(
            runs, "runs: expected a map of names, each with the settings that differ in that run");
    for (int64_t i = 0; i < runs->count; i++) {
        const struct node *run = runs->children[i];

        if (run->kind != NODE_MAP && !node_is_null(run))
            return node_fail(run,
                             "runs.%s: expected a map with the settings that differ in this run",
                             runs->keys[i]);
        for (int64_t k = 0; k < run->count; k++)
            TRY(check_run_key(run, k, runs->keys[i]));
    }
    return STATUS_OK;
}

/* One name for all: what varies in it would be nothing that is run. */
static enum status check_name(const struct node *base)
{
    const struct node *name = node_find(base, "name");

    if (name == NULL || name->kind == NODE_SCALAR)
        return STATUS_OK;
    return node_fail_key(name, "name", NULL, "expected one text, not a %s",
                         name->kind == NODE_LIST ? "list" : "map");
}

static enum status check_parts(const struct parts *p)
{
    TRY(check_name(p->base));
    if (p->runs != NULL)
        TRY(check_runs(p->runs));
    if (p->quick != NULL && p->quick->kind != NODE_MAP)
        return node_fail(p->quick,
                         "quick: expected a map with the settings that differ in a short trial");
    if (p->options->quick && p->quick == NULL)
        return node_fail(p->base, "--quick: this experiment has no key quick");
    return STATUS_OK;
}

static void normalize_parts(struct parts *p)
{
    overlay_normalize(p->base);
    if (p->quick != NULL)
        overlay_normalize(p->quick);
    for (int64_t i = 0; p->runs != NULL && i < p->runs->count; i++)
        if (p->runs->children[i]->kind == NODE_MAP)
            overlay_normalize(p->runs->children[i]);
}

/* --- quick --- */

static bool list_has(const struct node *list, const char *name)
{
    if (list->kind == NODE_SCALAR)
        return text_same_name(list->text, name);
    for (int64_t i = 0; i < list->count; i++)
        if (list->children[i]->kind == NODE_SCALAR && text_same_name(list->children[i]->text, name))
            return true;
    return false;
}

static enum status check_kept(const struct node *kept, const struct node *runs)
{
    if (runs == NULL)
        return node_fail(kept, "quick.runs: this experiment has no runs");
    if (kept->kind == NODE_MAP)
        return node_fail(kept, "quick.runs: expected a list of the runs to keep");
    for (int64_t i = 0; i < kept->count; i++) {
        const struct node *name = kept->children[i];

        if (name->kind != NODE_SCALAR || node_find(runs, name->text) == NULL)
            return node_fail(name, "quick.runs: unknown run %s",
                             name->kind == NODE_SCALAR ? name->text : "of this kind");
    }
    return STATUS_OK;
}

static enum status keep_runs(struct node *runs, const struct node *kept)
{
    for (int64_t i = runs->count - 1; i >= 0; i--)
        if (!list_has(kept, runs->keys[i]))
            node_remove(runs, runs->keys[i]);
    return runs->count > 0 ? STATUS_OK : node_fail(kept, "quick.runs: selects no run");
}

/* What quick says about the list of entries; its other values are overlaid on each. */
static enum status apply_quick(struct parts *p)
{
    if (p->quick_runs != NULL)
        TRY(keep_runs(p->runs, p->quick_runs));
    if (p->quick_baselines != NULL) {
        node_free(p->baselines);
        p->baselines = p->quick_baselines;
        p->quick_baselines = NULL;
    }
    return STATUS_OK;
}

/* --- flags --- */

/* Flags of a section inside of this one are alike: the first tells. */
static const struct node *first_flag(const struct node *n)
{
    while (n->kind == NODE_MAP && n->count > 0)
        n = n->children[0];
    return n;
}

/* "--local-sgd.period" is of use where local-sgd is chosen, for other choices it is left out. */
static bool is_of_use(const struct node *flag, const struct node *section, const struct registry *r)
{
    const char *name = flag->origin + 2, *dot = strchr(name, '.');
    struct overlay_choices chosen;
    bool found = false;

    if (strncmp(flag->origin, "--", 2) != 0 || dot == NULL)
        return true;
    char *entry = mem_text_n(name, (size_t)(dot - name));
    if (registry_find(r, entry) == NULL || text_same_name(entry, r->section)) {
        mem_free(entry);
        return true;
    }
    overlay_choices_find(&chosen, section, r);
    for (int64_t i = 0; i < chosen.count; i++)
        found = found || registry_find(r, chosen.names[i]) == registry_find(r, entry);
    mem_free(chosen.names);
    mem_free(entry);
    return found;
}

/* Takes out of flags about a section what is of no use in it. */
static void keep_useful(struct node *given, const struct node *section, const struct registry *r)
{
    const struct node *naming = node_find(given, "name") != NULL ? given : section;

    for (int64_t k = given->count - 1; given->kind == NODE_MAP && k >= 0; k--)
        if (!is_of_use(first_flag(given->children[k]), naming, r))
            node_remove(given, given->keys[k]);
}

/* Over every section of a list, those that are of use there. */
static void apply_to_each(struct node *list, const struct node *given, const struct registry *r)
{
    for (int64_t i = 0; i < list->count; i++) {
        struct node *own = node_copy(given);

        keep_useful(own, list->children[i], r);
        node_overlay(list->children[i], own);
        node_free(own);
    }
}

static void apply_flags(struct node *settings, const struct node *over)
{
    struct node *flags = node_copy(over);

    for (int64_t i = flags->count - 1; i >= 0; i--) {
        const struct registry *r = overlay_registry(flags->keys[i]);
        struct node *section = node_find(settings, flags->keys[i]), *given = flags->children[i];

        if (r != NULL && overlay_is_for_each(section, given)) {
            apply_to_each(section, given, r);
            node_remove(flags, flags->keys[i]);
        } else if (r != NULL) {
            keep_useful(given, section, r);
            if (given->kind == NODE_MAP && given->count == 0) /* which would mean the defaults */
                node_remove(flags, flags->keys[i]);
        }
    }
    overlay_apply(settings, flags);
    node_free(flags);
}

/* --- entries --- */

static struct study_entry *add_entry(struct study_entries *c, const char *name, struct node *root)
{
    c->items = mem_resize(c->items, c->count, c->count + 1, sizeof *c->items);
    c->items[c->count] =
        (struct study_entry){.name = name == NULL ? NULL : mem_text(name), .root = root};
    return &c->items[c->count++];
}

/* The base settings overlaid with those of one entry; run may be NULL. */
static struct node *compose(const struct parts *p, const struct node *run)
{
    struct node *root = node_copy(p->base);

    if (run != NULL && run->kind == NODE_MAP)
        overlay_apply(root, run);
    if (p->options->quick)
        overlay_apply(root, p->quick);
    if (p->options->over != NULL)
        apply_flags(root, p->options->over);
    return root;
}

static void add_run(struct study_entries *c, const struct parts *p, const char *name,
                    const struct node *run)
{
    struct study_entry *added = add_entry(c, name, compose(p, run));

    added->has_own_graph = run != NULL && node_find(run, "graph") != NULL;
}

/* --- baselines --- */

/* One worker with all the data: nothing that is about several workers is left. */
static void make_centralised(struct node *root, const struct node *where)
{
    static const char *const gone[] = {"algorithm", "graph", "partition", "delays", "transport"};
    struct node *transport = node_find(root, "transport");
    const struct node *by = transport == NULL ? NULL : node_find(transport, "name");
    struct node *name = by == NULL ? NULL : node_copy(by);

    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        node_remove(root, gone[i]);
        tune_drop_section(root, gone[i]);
    }
    node_put_path(root, "algorithm.name",
                  node_new_scalar("single", where->origin, where->line, where->column));
    node_put_path(root, "transport.workers",
                  node_new_scalar("1", where->origin, where->line, where->column));
    if (name != NULL)
        node_put_path(root, "transport.name", name);
}

static void make_solo(struct node *root, const struct node *where)
{
    node_remove(root, "algorithm");
    node_put_path(root, "algorithm.name",
                  node_new_scalar("solo", where->origin, where->line, where->column));
    node_remove(root, "graph");
    tune_drop_section(root, "algorithm");
    tune_drop_section(root, "graph");
}

static enum status make_baseline(struct node *root, const struct node *where)
{
    if (text_same_name(where->text, "centralised"))
        make_centralised(root, where);
    else if (text_same_name(where->text, "solo"))
        make_solo(root, where);
    else
        return node_fail_key(where, "baselines", NULL,
                             "unknown baseline \"%s\"; choose solo or centralised (any other "
                             "algorithm can be one of the runs)",
                             where->text);
    return STATUS_OK;
}

static enum status add_baseline(struct study_entries *c, const struct parts *p,
                                const struct node *name)
{
    if (name->kind != NODE_SCALAR || node_is_null(name))
        return node_fail(name, "baselines: expected a list of names, such as solo and centralised");
    for (int64_t i = 0; i < c->count; i++)
        if (c->items[i].name != NULL && text_same_name(c->items[i].name, name->text))
            return node_fail(name, "baselines: there is already a run named %s", name->text);
    struct study_entry *added = add_entry(c, name->text, compose(p, NULL));
    return make_baseline(added->root, name);
}

static enum status add_baselines(struct study_entries *c, const struct parts *p)
{
    if (p->baselines->kind == NODE_SCALAR)
        return add_baseline(c, p, p->baselines);
    if (p->baselines->kind == NODE_MAP)
        return node_fail(p->baselines,
                         "baselines: expected a list of names, such as solo and centralised");
    for (int64_t i = 0; i < p->baselines->count; i++)
        TRY(add_baseline(c, p, p->baselines->children[i]));
    return STATUS_OK;
}

/* The base settings are an entry of their own where there are only baselines in addition. */
static const char *own_name(const struct parts *p)
{
    const struct node *section = node_find(p->base, "algorithm");
    struct overlay_choices chosen;
    const char *name = NULL;

    if (p->baselines == NULL)
        return NULL;
    if (section == NULL || section->kind == NODE_LIST)
        return "main"; /* whatever so many workers get, or several by whole sections */
    overlay_choices_find(&chosen, section, &algo_registry);
    name = chosen.count == 1 ? chosen.names[0] : "main";
    mem_free(chosen.names);
    return name;
}

static enum status add_all(struct study_entries *c, const struct parts *p)
{
    if (p->runs == NULL)
        add_run(c, p, own_name(p), NULL);
    for (int64_t i = 0; p->runs != NULL && i < p->runs->count; i++)
        add_run(c, p, p->runs->keys[i], p->runs->children[i]);
    return p->baselines == NULL ? STATUS_OK : add_baselines(c, p);
}

enum status entries_make(struct study_entries *c, const struct node *root,
                         const struct study_options *options)
{
    struct parts p = {.base = node_copy(root), .options = options};

    *c = (struct study_entries){0};
    output_keep_for_runs(p.base);
    p.runs = take_key(p.base, "runs");
    p.baselines = take_key(p.base, "baselines");
    p.quick = take_key(p.base, "quick");
    node_remove(p.base, "landscape"); /* study_new reads it */
    enum status s = check_parts(&p);
    if (s == STATUS_OK && p.quick != NULL) {
        node_remove(p.quick, "landscape");
        p.quick_runs = take_key(p.quick, "runs");
        p.quick_baselines = take_key(p.quick, "baselines");
        if (p.quick_runs != NULL)
            s = check_kept(p.quick_runs, p.runs);
    }
    if (s == STATUS_OK) {
        normalize_parts(&p);
        s = options->quick ? apply_quick(&p) : STATUS_OK;
    }
    if (s == STATUS_OK)
        s = add_all(c, &p);
    node_free(p.base);
    node_free(p.runs);
    node_free(p.baselines);
    node_free(p.quick);
    node_free(p.quick_runs);
    node_free(p.quick_baselines);
    if (s != STATUS_OK)
        entries_release(c);
    return s;
}

void entries_release(struct study_entries *c)
{
    for (int64_t i = 0; i < c->count; i++) {
        mem_free(c->items[i].name);
        node_free(c->items[i].root);
    }
    mem_free(c->items);
    *c = (struct study_entries){0};
}
