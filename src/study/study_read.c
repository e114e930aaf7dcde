/*
 * study_read.c - an experiment file to the canonical tree.
 *
 * Here: reading, and which layout a file has. Not here: what the keys mean (train/run_config.c).
 */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "comm/world.h"
#include "conf/yaml.h"
#include "data/dataset.h"
#include "study/s001_layout.h"
#include "study/study.h"

enum { FILE_LIMIT = 1 << 20 };

/* Several processes read the same file, and one of them prints. */
static void log_ignored(const char *path, const struct text *ignored)
{
    if (ignored->length > 0 && world_reports())
        log_info("%s: these keys of S001's layout have no effect here: %s", path,
                 text_get(ignored));
}

static char *find_data(const struct entry *set, const char *dir)
{
    const struct dataset_ops *ops = (const struct dataset_ops *)(const void *)set;

    return ops == NULL || ops->is_generated ? NULL : dataset_where(ops, dir);
}

static bool is_generated(const struct node *name)
{
    const struct entry *set = name == NULL || name->kind != NODE_SCALAR
                                  ? NULL
                                  : registry_find(&dataset_registry, name->text);

    return set != NULL && ((const struct dataset_ops *)(const void *)set)->is_generated;
}

/* A generated set has no folder, so that data_dir is for other runs, or for none. */
static void drop_idle_dirs(struct node *root, struct text *ignored)
{
    const struct node *dir = node_find_path(root, "data.dir");
    const struct node *runs = node_find(root, "runs");

    for (int64_t i = 0; dir != NULL && runs != NULL && i < runs->count; i++)
        if (is_generated(node_find_path(runs->children[i], "data.name")))
            node_put_path(runs->children[i], "data.dir",
                          node_new(NODE_SCALAR, dir->origin, dir->line, dir->column));
    if (dir == NULL || !is_generated(node_find_path(root, "data.name")))
        return;
    node_remove(node_find(root, "data"), "dir");
    text_addf(ignored, "%sdata_dir", ignored->length > 0 ? ", " : "");
}

/* S001's program downloads data that are missing. Whether they are is not asked here: processes on
 * several hosts must decide the same. */
static void put_download(struct node *root, const struct node *dir, const struct entry *set)
{
    const struct dataset_ops *ops = (const struct dataset_ops *)(const void *)set;

    if (ops != NULL && ops->source != NULL && node_find_path(root, "data.download") == NULL)
        node_put_path(root, "data.download",
                      node_new_scalar("true", dir->origin, dir->line, dir->column));
}

/* Data that are not in data_dir are taken from where they usually are, if they are there. */
static void settle_data_dir(struct node *root)
{
    const struct node *dir = node_find_path(root, "data.dir");
    const struct node *name = node_find_path(root, "data.name");

    if (dir == NULL || dir->kind != NODE_SCALAR || name == NULL || name->kind != NODE_SCALAR)
        return;
    const struct entry *set = registry_find(&dataset_registry, name->text);
    put_download(root, dir, set);
    char *there = find_data(set, dir->text), *usual = find_data(set, NULL);
    if (there == NULL && usual != NULL) {
        if (world_reports())
            log_info("data_dir: %s has no %s; using the one in %s", dir->text, name->text, usual);
        node_remove(node_find(root, "data"), "dir");
    }
    mem_free(there);
    mem_free(usual);
}

static enum status translate(const char *path, struct node **root)
{
    struct text ignored = {0};
    struct node *canonical = NULL;
    const enum status s = s001_translate(*root, &canonical, &ignored);

    if (s == STATUS_OK) {
        drop_idle_dirs(canonical, &ignored);
        log_ignored(path, &ignored);
        settle_data_dir(canonical);
        node_free(*root);
        *root = canonical;
    }
    text_release(&ignored);
    return s;
}

enum status study_read(const char *path, struct text *given, struct node **root)
{
    enum status s = STATUS_OK;

    *root = NULL;
    TRY(file_read(path, FILE_LIMIT, given));
    TRY(yaml_parse_merged(given->data, given->length, path, root));
    if ((*root)->kind != NODE_MAP)
        s = node_fail(*root, "an experiment file holds a map");
    else if (s001_is_layout(*root))
        s = translate(path, root);
    if (s != STATUS_OK) {
        node_free(*root);
        *root = NULL;
    }
    return s;
}
