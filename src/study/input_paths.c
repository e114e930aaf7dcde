/*
 * input_paths.c - see input_paths.h. The settings of runs themselves hold what is in such files,
 * but for the data.
 */
#include "study/input_paths.h"

#include "base/file.h"
#include "base/mem.h"
#include "train/config_paths.h"
#include "train/run_config.h"

static void make_absolute(struct node *n)
{
    char *path = file_absolute(n->text);

    mem_free(n->text);
    n->text = path;
}

/* A model, its name, or each item of a list of those. */
static void visit_model(struct node *n)
{
    if (n == NULL)
        return;
    for (int64_t i = 0; n->kind == NODE_LIST && i < n->count; i++)
        visit_model(n->children[i]);
    if (n->kind == NODE_MAP)
        visit_model(node_find(n, "name"));
    else if (n->kind == NODE_SCALAR && !node_is_null(n) && run_config_is_model_file(n->text))
        make_absolute(n);
}

static void visit_settings(struct node *settings)
{
    config_paths_make_absolute(settings);
    visit_model(node_find(settings, "model"));
}

void input_paths_make_absolute(struct node *root)
{
    struct node *runs = node_find(root, "runs");

    visit_settings(root);
    for (int64_t i = 0; runs != NULL && runs->kind == NODE_MAP && i < runs->count; i++)
        if (runs->children[i]->kind == NODE_MAP)
            visit_settings(runs->children[i]);
}
