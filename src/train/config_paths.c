/*
 * config_paths.c - see config_paths.h. Which options are paths is known from the field tables.
 */
#include "train/config_paths.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "train/run_config.h"

/* What is done with a path; `known` is of the caller. */
typedef void change_path(struct node *path, const struct node *known);

static bool has_path(const struct field *fields, const char *key)
{
    const struct field *f = fields == NULL ? NULL : fields_find(fields, key);

    return f != NULL && f->is_path;
}

/* Of the section itself, or of something that it may choose. */
static bool is_path(const char *section, const char *key)
{
    for (const struct flag_table *t = run_config_tables; t->section != NULL; t++)
        if (strcmp(t->section, section) == 0 && has_path(t->fields, key))
            return true;
    for (const struct registry *const *r = run_config_registries; *r != NULL; r++)
        for (const struct entry *const *e = (*r)->entries; *e != NULL; e++)
            if (strcmp((*r)->section, section) == 0 && has_path((*e)->fields, key))
                return true;
    return false;
}

/* --- walking a tree --- */

/* One path, or a list of those that a study compares. */
static void visit_value(struct node *n, change_path *change, const struct node *known)
{
    for (int64_t i = 0; n->kind == NODE_LIST && i < n->count; i++)
        visit_value(n->children[i], change, known);
    if (n->kind == NODE_SCALAR && !node_is_null(n) && n->text[0] != '\0')
        change(n, known);
}

static void visit_section(struct node *n, const char *section, change_path *change,
                          const struct node *known)
{
    for (int64_t i = 0; n->kind == NODE_LIST && i < n->count; i++)
        visit_section(n->children[i], section, change, known);
    for (int64_t i = 0; n->kind == NODE_MAP && i < n->count; i++)
        if (is_path(section, n->keys[i]))
            visit_value(n->children[i], change,
                        known == NULL ? NULL : node_find(known, n->keys[i]));
}

static void visit(struct node *root, change_path *change, const struct node *known)
{
    for (int64_t i = 0; root->kind == NODE_MAP && i < root->count; i++)
        visit_section(root->children[i], root->keys[i], change,
                      known == NULL ? NULL : node_find(known, root->keys[i]));
}

/* --- changes --- */

static void set_text(struct node *n, char *text)
{
    mem_free(n->text);
    n->text = text;
}

static void make_absolute(struct node *n, const struct node *known)
{
    (void)known;
    set_text(n, file_absolute(n->text));
}

void config_paths_make_absolute(struct node *root)
{
    visit(root, make_absolute, NULL);
}

/* Without slashes at the end; mem_free */
static char *last_name(const char *path)
{
    size_t end = strlen(path);
    size_t begin = 0;

    while (end > 1 && path[end - 1] == '/')
        end--;
    for (size_t i = 0; i + 1 < end; i++)
        if (path[i] == '/')
            begin = i + 1;
    return mem_text_n(path + begin, end - begin);
}

static void drop_folders(struct node *n, const struct node *known)
{
    (void)known;
    set_text(n, last_name(n->text));
}

void config_paths_drop_folders(struct node *root)
{
    visit(root, drop_folders, NULL);
}

static void find_folders(struct node *n, const struct node *known)
{
    if (node_is_null(known) || known->kind != NODE_SCALAR)
        return;
    char *its = last_name(known->text), *mine = last_name(n->text);

    if (strcmp(its, mine) == 0)
        set_text(n, mem_text(known->text));
    mem_free(its);
    mem_free(mine);
}

void config_paths_find_folders(struct node *root, const struct node *known)
{
    visit(root, find_folders, known);
}
