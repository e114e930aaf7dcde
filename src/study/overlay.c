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
#include "train/run_config.h"

const struct registry *overlay_registry(const char *section)
{
    for (int i = 0; run_config_registries[i] != NULL; i++)
        if (text_same_name(run_config_registries[i]->section, section))
            return run_config_registries[i];
    return NULL;
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

void overlay_normalize(struct node *settings)
{
    CHECK(settings->kind == NODE_MAP);
    for (int64_t i = 0; i < settings->count; i++) {
        struct node *section = settings->children[i];

        if (fields_find(run_config_fields, settings->keys[i]) != NULL)
            continue;
        if (is_name(section) || is_list_of_names(section)) {
            settings->children[i] = as_map(section);
            node_free(section);
        } else if (section->kind == NODE_LIST) {
            normalize_items(section);
        }
    }
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

static void drop_old_options(struct node *section, const struct node *over,
                             const struct registry *r)
{
    struct overlay_choices old, new;

    overlay_choices_find(&old, section, r);
    overlay_choices_find(&new, over, r);
    overlay_drop_options(section, r, &new, &old);
    mem_free(old.names);
    mem_free(new.names);
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

    if (over->kind != NODE_MAP || section == NULL || section->kind == NODE_SCALAR) {
        node_put(base, key, node_copy(over));
    } else if (section->kind == NODE_MAP) {
        if (r != NULL && node_find(over, "name") != NULL)
            drop_old_options(section, over, r);
        node_overlay(section, over);
    } else if (overlay_is_for_each(section, over)) {
        for (int64_t i = 0; i < section->count; i++)
            node_overlay(section->children[i], over);
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
