/*
 * input_paths.c - see input_paths.h. The settings of runs themselves hold what is in such files,
 * but for the data.
 */
#include "study/input_paths.h"

#include "base/file.h"
#include "base/mem.h"
#include "train/run_config.h"

static void make_absolute(struct node *n)
{
    char *path = file_absolute(n->text);

    mem_free(n->text);
    n->text = path;
}

static bool always(const char *text)
{
    return text[0] != '\0';
}

/* Those below n that a key says to be a path; also each item of a list. */
static void visit(struct node *n, const char *key, bool (*is_path)(const char *text))
{
    if (n == NULL)
        return;
    for (int64_t i = 0; n->kind == NODE_LIST && i < n->count; i++)
        visit(n->children[i], key, is_path);
    if (n->kind == NODE_MAP)
        visit(node_find(n, key), "", is_path);
    else if (n->kind == NODE_SCALAR && key[0] == '\0' && !node_is_null(n) && is_path(n->text))
        make_absolute(n);
}

static void visit_settings(struct node *settings)
{
    struct node *model = node_find(settings, "model");

    visit(node_find(settings, "data"), "dir", always);
    visit(node_find(settings, "train"), "init", always);
    visit(node_find(settings, "graph"), "path", always);
    visit(node_find(settings, "graph"), "positions_file", always);
    visit(model, "name", run_config_is_model_file);
    visit(model, "", run_config_is_model_file); /* model: net.yaml */
}

void input_paths_make_absolute(struct node *root)
{
    struct node *runs = node_find(root, "runs");

    visit_settings(root);
    for (int64_t i = 0; runs != NULL && runs->kind == NODE_MAP && i < runs->count; i++)
        if (runs->children[i]->kind == NODE_MAP)
            visit_settings(runs->children[i]);
}
