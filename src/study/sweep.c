/*
 * sweep.c - finds the lists of an entry's settings and expands them to all their values.
 *
 * The first list in the order of the file is replaced by each of its values, and the result is
 * expanded again, so that values may themselves hold lists.
 */
#include "study/sweep.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "study/overlay.h"
#include "train/run_config.h"

/* --- which lists are sweeps --- */

static bool is_ints(const struct field *f)
{
    return f != NULL && f->kind == FIELD_KIND_INTS;
}

bool sweep_is_list_option(const char *section, const char *option)
{
    const struct registry *r = overlay_registry(section);
    bool found = false;

    for (int64_t i = 0; r != NULL && r->entries[i] != NULL && !found; i++)
        found = is_ints(fields_find_path(r->entries[i]->fields, option, NULL));
    return found;
}

static bool is_layers(const char *section, const char *key)
{
    return section != NULL && strcmp(section, "model") == 0 && strcmp(key, "layers") == 0;
}

static bool is_sweep(const char *section, const char *key, const struct node *n)
{
    if (n->kind != NODE_LIST || is_layers(section, key))
        return false;
    if (section == NULL || !sweep_is_list_option(section, key))
        return true;
    return n->count > 0 && n->children[0]->kind == NODE_LIST; /* several lists of numbers */
}

/* A list to expand: where it is, and what is shown of it. */
struct axis {
    const struct node *list; /* borrowed; NULL: there is none */
    char *section;           /* the path, owned; NULL: at the top */
    const char *key;         /* borrowed */
};

static void axis_release(struct axis *a)
{
    mem_free(a->section);
    *a = (struct axis){0};
}

/* Also in sections inside of it: "algorithm.outer". */
static struct axis find_in_section(const char *section, const struct node *map)
{
    struct axis found = {0};

    for (int64_t i = 0; map->kind == NODE_MAP && i < map->count && found.list == NULL; i++) {
        char *inner = text_format("%s.%s", section, map->keys[i]);

        if (is_sweep(section, map->keys[i], map->children[i]) && strcmp(inner, SWEEP_FOLD) != 0)
            found = (struct axis){map->children[i], mem_text(section), map->keys[i]};
        else if (overlay_registry(inner) != NULL)
            found = find_in_section(inner, map->children[i]);
        mem_free(inner);
    }
    return found;
}

/* The first list at a key of the top, or in a section, that is not one of the repetitions. */
static struct axis find_varied(const struct node *root)
{
    struct axis found = {0};

    for (int64_t i = 0; i < root->count && found.list == NULL; i++) {
        const struct node *n = root->children[i];

        if (strcmp(root->keys[i], SWEEP_TUNE) == 0)
            continue;
        if (!is_sweep(NULL, root->keys[i], n))
            found = find_in_section(root->keys[i], n);
        else if (strcmp(root->keys[i], "seed") != 0)
            found = (struct axis){n, NULL, root->keys[i]};
    }
    return found;
}

/* The first list; those of the folds and the seeds only when no others are left. */
static struct axis find_axis(const struct node *root)
{
    const struct node *folds = node_find_path(root, SWEEP_FOLD), *seeds = node_find(root, "seed");
    const struct axis found = find_varied(root);

    if (found.list != NULL)
        return found;
    if (folds != NULL && folds->kind == NODE_LIST)
        return (struct axis){folds, mem_text("data"), "fold"};
    if (seeds != NULL && seeds->kind == NODE_LIST)
        return (struct axis){seeds, NULL, "seed"};
    return (struct axis){0};
}

/* --- values as text --- */

static void add_value(struct text *out, const char *section, const struct node *n);

static void add_list(struct text *out, const struct node *n)
{
    for (int64_t i = 0; i < n->count; i++) {
        text_add(out, i == 0 ? "" : ",");
        add_value(out, NULL, n->children[i]);
    }
}

/* "local-sgd,period=8": the name first. A list to expand gets a value of its own. */
static void add_map(struct text *out, const char *section, const struct node *n)
{
    const struct node *name = node_find(n, "name");
    const size_t begin = out->length;

    if (name != NULL && name->kind == NODE_SCALAR)
        add_value(out, NULL, name);
    for (int64_t i = 0; i < n->count; i++) {
        if (n->children[i] == name || is_sweep(section, n->keys[i], n->children[i]))
            continue;
        text_addf(out, "%s%s=", out->length == begin ? "" : ",", n->keys[i]);
        add_value(out, NULL, n->children[i]);
    }
}

static void add_value(struct text *out, const char *section, const struct node *n)
{
    if (n->kind == NODE_MAP)
        add_map(out, section, n);
    else if (n->kind == NODE_LIST)
        add_list(out, n);
    else
        text_add(out, n->is_null ? "default" : n->text);
}

/* As it is shown; "" for a section that holds nothing but lists to expand. mem_free. */
static char *text_of(const struct axis *a, const struct node *n)
{
    struct text shown = {0};

    if (n->count == 0 && n->kind != NODE_SCALAR)
        text_add(&shown, n->kind == NODE_MAP ? "default" : "none");
    add_value(&shown, a->section == NULL ? a->key : NULL, n);
    return shown.length > 0 ? text_take(&shown) : mem_text("");
}

/* Takes the text. */
static struct study_value value_of(const struct axis *a, char *text)
{
    const bool is_choice = a->section != NULL && strcmp(a->key, "name") == 0;
    const char *dot = is_choice ? strrchr(a->section, '.') : NULL;

    return (struct study_value){
        .path = a->section == NULL ? mem_text(a->key) : text_format("%s.%s", a->section, a->key),
        .key = mem_text(dot != NULL ? dot + 1
                        : is_choice ? a->section
                                    : a->key),
        .text = text,
    };
}

static void value_release(struct study_value *v)
{
    mem_free(v->path);
    mem_free(v->key);
    mem_free(v->text);
}

void sweep_values_release(struct study_values *v)
{
    for (int64_t i = 0; i < v->count; i++)
        value_release(&v->items[i]);
    mem_free(v->items);
    *v = (struct study_values){0};
}

static void values_add(struct study_values *v, struct study_value value)
{
    v->items = mem_resize(v->items, v->count, v->count + 1, sizeof *v->items);
    v->items[v->count++] = value;
}

void sweep_values_add_copy(struct study_values *v, const struct study_value *value)
{
    values_add(v, (struct study_value){.path = mem_text(value->path),
                                       .key = mem_text(value->key),
                                       .text = mem_text(value->text)});
}

static struct study_values values_copy(const struct study_values *v)
{
    struct study_values copy = {0};

    for (int64_t i = 0; i < v->count; i++)
        sweep_values_add_copy(&copy, &v->items[i]);
    return copy;
}

void sweep_values_drop_missing(struct study_values *v, const struct node *root)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < v->count; i++) {
        if (node_find_path(root, v->items[i].path) != NULL)
            v->items[kept++] = v->items[i];
        else
            value_release(&v->items[i]);
    }
    v->count = kept;
}

/* --- expanding --- */

bool sweep_same_value(const char *a, const char *b)
{
    double x = 0, y = 0;

    if (text_same_name(a, b))
        return true;
    return text_to_double(a, &x) && text_to_double(b, &y) && x == y;
}

static bool is_same(const struct node *a, const struct node *b);

/* Also in another order. */
static bool is_same_map(const struct node *a, const struct node *b)
{
    bool same = a->count == b->count;

    for (int64_t i = 0; same && i < a->count; i++) {
        const struct node *other = node_find(b, a->keys[i]);

        same = other != NULL && is_same(a->children[i], other);
    }
    return same;
}

/* What is as if it were not given. */
static bool is_default(const struct node *n)
{
    return node_is_null(n) || (n->kind == NODE_MAP && n->count == 0);
}

static bool is_same(const struct node *a, const struct node *b)
{
    bool same = a->kind == b->kind && a->count == b->count;

    if (is_default(a) || is_default(b))
        return is_default(a) && is_default(b);
    if (same && a->kind == NODE_MAP)
        return is_same_map(a, b);
    if (same && a->kind == NODE_SCALAR)
        return sweep_same_value(a->text, b->text);
    for (int64_t i = 0; same && i < a->count; i++)
        same = is_same(a->children[i], b->children[i]);
    return same;
}

/* Says that two values of the list are the same. */
static enum status fail_same(const struct axis *a, int64_t first, int64_t second)
{
    const struct node *at = a->list->children[second];
    char *before = text_of(a, a->list->children[first]), *text = text_of(a, at);
    enum status s;

    if (text[0] == '\0')
        s = node_fail_key(at, a->section, a->key, "this item is already in the list");
    else if (strcmp(text, before) == 0)
        s = node_fail_key(at, a->section, a->key, "the list has %s twice", text);
    else
        s = node_fail_key(at, a->section, a->key,
                          "%s is the same value as %s before it in the list", text, before);
    mem_free(before);
    mem_free(text);
    return s;
}

static enum status check_values(const struct axis *a)
{
    for (int64_t i = 0; i < a->list->count; i++)
        for (int64_t k = 0; k < i; k++)
            if (is_same(a->list->children[k], a->list->children[i]))
                return fail_same(a, k, i);
    return STATUS_OK;
}

/* Values that are lists by nature are all lists, all others are none. */
static enum status check_kinds(const struct axis *a)
{
    const bool wants_lists = a->section != NULL && sweep_is_list_option(a->section, a->key);

    for (int64_t i = 0; i < a->list->count; i++) {
        const struct node *item = a->list->children[i];

        if (wants_lists && item->kind != NODE_LIST)
            return node_fail_key(item, a->section, a->key,
                                 "every item of this list must be a list");
        if (!wants_lists && item->kind == NODE_LIST)
            return node_fail_key(item, a->section, a->key,
                                 "a list inside a list; a sweep must be one list of values");
    }
    return STATUS_OK;
}

static enum status check_list(const struct axis *a)
{
    if (a->list->count == 0)
        return node_fail_key(a->list, a->section, a->key,
                             "empty list; a sweep needs at least one value");
    TRY(check_kinds(a));
    return check_values(a);
}

/* Options of the other names in the list are theirs: "period" is of no use to sync. */
static void leave_out_others(struct node *root, const struct axis *a, const char *chosen)
{
    const struct registry *r = a->section == NULL ? NULL : overlay_registry(a->section);
    const struct overlay_choices own = {.names = &chosen, .count = 1};
    struct overlay_choices all;

    if (r == NULL || strcmp(a->key, "name") != 0)
        return;
    all = (struct overlay_choices){.names = MEM_NEW_N(const char *, a->list->count)};
    for (int64_t i = 0; i < a->list->count; i++)
        if (a->list->children[i]->kind == NODE_SCALAR)
            all.names[all.count++] = a->list->children[i]->text;
    overlay_drop_options(node_find_path(root, a->section), r, &own, &all);
    mem_free(all.names);
}

static struct node *put_value(const struct node *root, const struct axis *a,
                              const struct node *value)
{
    struct node *copy = node_copy(root);
    struct node *parent = a->section == NULL ? copy : node_find_path(copy, a->section);

    node_put(parent, a->key, node_copy(value));
    if (value->kind == NODE_SCALAR)
        leave_out_others(copy, a, value->text);
    return copy;
}

static enum status expand(struct sweep_points *c, struct node *root, struct study_values values);

static enum status expand_axis(struct sweep_points *c, const struct node *root,
                               const struct axis *a, const struct study_values *before)
{
    for (int64_t i = 0; i < a->list->count; i++) {
        const struct node *item = a->list->children[i];
        struct study_values values = values_copy(before);
        char *text = text_of(a, item);

        if (text[0] != '\0')
            values_add(&values, value_of(a, text));
        else
            mem_free(text);
        TRY(expand(c, put_value(root, a, item), values));
    }
    return STATUS_OK;
}

/* A number of folds stands for all of them. */
static void add_folds(struct node *root)
{
    const struct node *data = node_find(root, "data");
    const struct node *folds = node_find_path(root, "data.folds");
    int64_t count = 0;

    if (data == NULL || data->kind != NODE_MAP || folds == NULL || folds->kind != NODE_SCALAR ||
        !node_is_null(node_find(data, "fold")) || !text_to_int(folds->text, &count) || count < 2 ||
        count > STUDY_RUNS_MAX)
        return;

    struct node *all = node_new(NODE_LIST, folds->origin, folds->line, folds->column);

    for (int64_t i = 1; i <= count; i++) {
        char *number = text_format("%lld", (long long)i);

        node_add(all, node_new_scalar(number, folds->origin, folds->line, folds->column));
        mem_free(number);
    }
    node_put_path(root, SWEEP_FOLD, all);
}

/* Takes the tree and the values. */
static enum status expand(struct sweep_points *c, struct node *root, struct study_values values)
{
    enum status s = STATUS_OK;

    add_folds(root);

    struct axis a = find_axis(root);

    if (a.list != NULL) {
        s = check_list(&a);
        if (s == STATUS_OK)
            s = expand_axis(c, root, &a, &values);
        axis_release(&a);
        node_free(root);
        sweep_values_release(&values);
        return s;
    }
    if (c->count >= STUDY_RUNS_MAX)
        s = node_fail(root, "the lists make more than %d runs", (int)STUDY_RUNS_MAX);
    sweep_values_drop_missing(&values, root);
    c->items = mem_resize(c->items, c->count, c->count + 1, sizeof *c->items);
    c->items[c->count++] = (struct sweep_point){.root = root, .values = values};
    return s;
}

enum status sweep_expand(struct sweep_points *c, const struct node *root)
{
    return expand(c, node_copy(root), (struct study_values){0});
}

bool sweep_has_lists(const struct node *root)
{
    struct node *copy = node_copy(root);

    add_folds(copy);

    struct axis a = find_axis(copy);
    const bool found = a.list != NULL;

    axis_release(&a);
    node_free(copy);
    return found;
}

void sweep_points_release(struct sweep_points *c)
{
    for (int64_t i = 0; i < c->count; i++) {
        node_free(c->items[i].root);
        sweep_values_release(&c->items[i].values);
    }
    mem_free(c->items);
    *c = (struct sweep_points){0};
}
