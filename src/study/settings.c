/*
 * settings.c - every value of a run's settings, and those that a folder's run had.
 *
 * A run's experiment.yaml holds every value before the data set is known (run_config_dump), so
 * that two of them are equal exactly when the same would be run, however the file was written and
 * whatever the current folder is.
 */
#include "study/settings.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "train/config_paths.h"
#include "train/resume.h"
#include "train/run_config.h"
#include "train/validate.h"

/* --- of a run --- */

/*
 * The number of workers that the launcher started is part of what is computed. Where it cannot be
 * known, or is rejected, opening the world reports it later.
 */
static void settle_workers(struct run_config *e)
{
    struct world_request request;
    int workers = 0;

    if (e->transport.workers == 0 && validate_world(e, &request) == STATUS_OK &&
        world_check(&request, &workers) == STATUS_OK)
        e->transport.workers = workers;
}

enum status settings_effective(const struct study_run *c, struct node **root)
{
    struct run_config e;

    *root = NULL;
    TRY(run_config_read(&e, c->root));
    settle_workers(&e);
    *root = run_config_dump(&e);
    config_paths_make_absolute(*root);
    run_config_release(&e);
    return STATUS_OK;
}

enum status settings_yaml(const struct study_run *c, char **yaml)
{
    struct node *root = NULL;
    struct text out = {0};

    *yaml = NULL;
    TRY(settings_effective(c, &root));
    node_write(root, &out);
    node_free(root);
    *yaml = text_take(&out);
    return STATUS_OK;
}

static void keep_changeable(struct node *section, const char *name)
{
    for (int64_t i = section->count - 1; i >= 0; i--) {
        char *path = text_format("%s.%s", name, section->keys[i]);

        if (!resume_may_change(path))
            node_remove(section, section->keys[i]);
        mem_free(path);
    }
}

enum status settings_changes(const struct study_run *c, struct node **over)
{
    TRY(settings_effective(c, over));
    for (int64_t i = (*over)->count - 1; i >= 0; i--) {
        struct node *section = (*over)->children[i];

        if (section->kind == NODE_MAP)
            keep_changeable(section, (*over)->keys[i]);
        if (section->kind != NODE_MAP || section->count == 0)
            node_remove(*over, (*over)->keys[i]);
    }
    return STATUS_OK;
}

enum status settings_unnamed(const struct study_run *c, struct node **root)
{
    TRY(settings_effective(c, root));
    node_remove(*root, "name");
    return STATUS_OK;
}

/* --- of a folder --- */

/* A resumed run may be longer than its experiment.yaml says, and its number of workers may come
 * from the launcher: effective.yaml has the values that were used. */
static enum status take_used_values(struct node *its, const char *folder)
{
    static const char *const paths[] = {"train.epochs", "train.max_steps", "transport.workers"};
    char *path = file_join(folder, "effective.yaml");
    struct node *effective = NULL;
    const enum status s = yaml_load(path, &effective);

    for (size_t i = 0; s == STATUS_OK && i < sizeof paths / sizeof paths[0]; i++) {
        const struct node *used = node_find_path(effective, paths[i]);

        if (used != NULL)
            node_put_path(its, paths[i], node_copy(used));
    }
    if (s == STATUS_OK)
        config_paths_find_folders(its, effective);
    node_free(effective);
    mem_free(path);
    return s;
}

/* A run of an earlier version has not the settings that were added since: they had their defaults.
 * Values that this version rejects stay as they are, and are found to be different. */
static void add_defaults(struct node **its)
{
    struct run_config e;

    if (run_config_read(&e, *its) != STATUS_OK)
        return;
    node_free(*its);
    *its = run_config_dump(&e);
    run_config_release(&e);
}

enum status settings_of_folder(const char *folder, struct node **its)
{
    char *path = file_join(folder, "experiment.yaml");
    enum status s = yaml_load(path, its);

    if (s == STATUS_OK && (*its)->kind != NODE_MAP)
        s = node_fail(*its, "this is not the experiment.yaml of a run");
    if (s == STATUS_OK)
        s = take_used_values(*its, folder);
    if (s == STATUS_OK) {
        add_defaults(its);
        node_remove(*its, "name");
        config_paths_make_absolute(*its);
    }
    mem_free(path);
    return s;
}

/* --- comparing --- */

bool settings_is_length(const char *path)
{
    return strcmp(path, "train.epochs") == 0 || strcmp(path, "train.max_steps") == 0 ||
           strcmp(path, "train.budget") == 0;
}

bool settings_same(const struct node *a, const struct node *b)
{
    struct text x = {0}, y = {0};

    if (a == NULL || b == NULL)
        return a == b;
    node_write(a, &x);
    node_write(b, &y);
    const bool same = strcmp(text_get(&x), text_get(&y)) == 0;
    text_release(&x);
    text_release(&y);
    return same;
}

bool settings_vary_alike(const struct study_run *c, const char *folder)
{
    struct node *mine = NULL, *its = NULL;
    bool same =
        settings_of_folder(folder, &its) == STATUS_OK && settings_unnamed(c, &mine) == STATUS_OK;

    for (int64_t i = 0; same && i < c->values.count; i++)
        same = settings_same(node_find_path(mine, c->values.items[i].path),
                             node_find_path(its, c->values.items[i].path));
    node_free(mine);
    node_free(its);
    return same;
}
