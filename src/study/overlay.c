/*
 * overlay.c - overlays one tree of settings on another, section by section.
 *
 * Here: names and options as they are in the trees. Not here: whether a name or an option exists
 * (train/run_config.c).
 */
#include "study/overlay.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "study/sweep.h"
#include "train/run_config.h"

static const struct registry *top_registry(const char *section)
{
    for (int i = 0; run_config_registries[i] != NULL; i++)
        if (text_same_name(run_config_registries[i]->section, section))
            return run_config_registries[i];
    return NULL;
}

/* What an option of some entry is chosen from, or NULL: it is not a section. */
static const struct registry *inner_registry(const struct registry *r, const char *option)
{
    for (int64_t i = 0; r != NULL && r->entries[i] != NULL; i++) {
        const struct field *f = fields_find_path(r->entries[i]->fields, option, NULL);

        if (f != NULL && f->kind == FIELD_KIND_SECTION)
            return f->registry;
    }
    return NULL;
}

const struct registry *overlay_registry(const char *section)
{
    const char *dot = strchr(section, '.');

    if (dot == NULL)
        return top_registry(section);
    char *top = mem_text_n(section, (size_t)(dot - section));
    const struct registry *r = inner_registry(top_registry(top), dot + 1);

    mem_free(top);
    return r;
}

/* --- one form --- */

static bool is_name(const struct node *n)
{
    return n->kind == NODE_SCALAR && !n->is_null;
}

static bool is_list_of_names(const struct node *n)
{
    if (n->kind != NODE_LIST || n->count == 0)
        return false;
    for (int64_t i = 0; i < n->count; i++)
        if (!is_name(n->children[i]))
            return false;
    return true;
}

static struct node *as_map(const struct node *n)
{
    struct node *map = node_new(NODE_MAP, n->origin, n->line, n->column);

    node_put_new(map, "name", node_copy(n));
    return map;
}

static void normalize_items(struct node *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        struct node *item = list->children[i];

        if (is_name(item)) {
            list->children[i] = as_map(item);
            node_free(item);
        }
    }
}

static void normalize_inner(struct node *map, const struct registry *r);

/* The section that is child i of a map; r may be NULL. */
static void normalize_section(struct node *parent, int64_t i, const struct registry *r)
{
    struct node *section = parent->children[i];

    if (is_name(section) || is_list_of_names(section)) {
        parent->children[i] = as_map(section);
        node_free(section);
    } else if (section->kind == NODE_LIST) {
        normalize_items(section);
        for (int64_t k = 0; k < section->count; k++)
            normalize_inner(section->children[k], r);
    } else {
        normalize_inner(section, r);
    }
}

/* Sections inside of one. */
static void normalize_inner(struct node *map, const struct registry *r)
{
    for (int64_t i = 0; map->kind == NODE_MAP && i < map->count; i++) {
        const struct registry *inner = inner_registry(r, map->keys[i]);

        if (inner != NULL)
            normalize_section(map, i, inner);
    }
}

void overlay_normalize(struct node *settings)
{
    CHECK(settings->kind == NODE_MAP);
    for (int64_t i = 0; i < settings->count; i++)
        if (fields_find(run_config_fields, settings->keys[i]) == NULL &&
            strcmp(settings->keys[i], SWEEP_TUNE) != 0)
            normalize_section(settings, i, top_registry(settings->keys[i]));
}

/* --- names --- */

static void names_add(struct overlay_choices *n, const char *name)
{
    n->names = mem_resize(n->names, n->count, n->count + 1, sizeof *n->names);
    n->names[n->count++] = name;
}

void overlay_choices_find(struct overlay_choices *n, const struct node *section,
                          const struct registry *r)
{
    const struct node *name = node_find(section, "name");

    *n = (struct overlay_choices){0};
    if (name == NULL || name->kind == NODE_MAP)
        names_add(n, run_config_fallback(r));
    else if (name->kind == NODE_SCALAR)
        names_add(n, name->text);
    for (int64_t i = 0; name != NULL && name->kind == NODE_LIST && i < name->count; i++)
        if (name->children[i]->kind == NODE_SCALAR)
            names_add(n, name->children[i]->text);
}

static bool any_has(const struct overlay_choices *n, const struct registry *r, const char *option)
{
    for (int64_t i = 0; i < n->count; i++) {
        const struct entry *e = registry_find(r, n->names[i]);

        if (e != NULL && fields_find(e->fields, option) != NULL)
            return true;
    }
    return false;
}

void overlay_drop_options(struct node *section, const struct registry *r,
                          const struct overlay_choices *chosen,
                          const struct overlay_choices *others)
{
    for (int64_t i = section->count - 1; i >= 0; i--)
        if (!any_has(chosen, r, section->keys[i]) && any_has(others, r, section->keys[i]))
            node_remove(section, section->keys[i]);
}

/* --- overlaying --- */

/* Of a section, and of those inside it. */
static void drop_old_options(struct node *section, const struct node *over,
                             const struct registry *r)
{
    struct overlay_choices old, new;

    if (r == NULL || section == NULL || section->kind != NODE_MAP || over->kind != NODE_MAP)
        return;
    for (int64_t i = 0; i < over->count; i++)
        drop_old_options(node_find(section, over->keys[i]), over->children[i],
                         inner_registry(r, over->keys[i]));
    if (node_find(over, "name") == NULL)
        return;
    overlay_choices_find(&old, section, r);
    overlay_choices_find(&new, over, r);
    overlay_drop_options(section, r, &new, &old);
    mem_free(old.names);
    mem_free(new.names);
}

/* An empty map means the defaults, also of a section inside another: what was there goes. */
static void reset_inner(struct node *section, const struct node *over, const struct registry *r)
{
    for (int64_t i = 0; r != NULL && i < over->count; i++) {
        const struct registry *inner = inner_registry(r, over->keys[i]);
        struct node *old = node_find(section, over->keys[i]);
        const struct node *new = over->children[i];

        if (inner == NULL || old == NULL || new->kind != NODE_MAP)
            continue;
        if (new->count == 0)
            node_remove(section, over->keys[i]);
        else if (old->kind == NODE_MAP)
            reset_inner(old, new, inner);
    }
}

bool overlay_is_for_each(const struct node *list, const struct node *over)
{
    bool all_maps = list != NULL && list->kind == NODE_LIST && list->count > 0 &&
                    over->kind == NODE_MAP && node_find(over, "name") == NULL;

    for (int64_t i = 0; all_maps && i < list->count; i++)
        all_maps = list->children[i]->kind == NODE_MAP;
    return all_maps;
}

static void overlay_section(struct node *base, const char *key, const struct node *over)
{
    struct node *section = node_find(base, key);
    const struct registry *r = overlay_registry(key);

    if (over->kind != NODE_MAP || over->count == 0 || section == NULL ||
        section->kind == NODE_SCALAR) {
        node_put(base, key, node_copy(over));
    } else if (section->kind == NODE_MAP) {
        drop_old_options(section, over, r);
        reset_inner(section, over, r);
        node_overlay(section, over);
    } else if (overlay_is_for_each(section, over)) {
        for (int64_t i = 0; i < section->count; i++) {
            reset_inner(section->children[i], over, r);
            node_overlay(section->children[i], over);
        }
    } else {
        node_put(base, key, node_copy(over));
    }
}

void overlay_apply(struct node *base, const struct node *over)
{
    CHECK(base->kind == NODE_MAP && over->kind == NODE_MAP);
    for (int64_t i = 0; i < over->count; i++)
        overlay_section(base, over->keys[i], over->children[i]);
}
