/*
 * dataset_folder.c - where a data set's files are: the search path of dataset.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/env.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/dataset.h"

enum { CACHE_NAME_MAX = 100 };

static const char *const below[] = {"", "raw", "data", NULL};

static bool holds_a_probe(const struct dataset_ops *ops, const char *folder)
{
    bool found = false;

    for (const char *const *probe = ops->probes; *probe != NULL && !found; probe++) {
        char *path = file_join(folder, *probe);

        found = file_is_regular(path);
        mem_free(path);
    }
    return found;
}

/* The folder itself or the one below it that holds the files, or NULL. */
static char *search_folder(const struct dataset_ops *ops, const char *folder)
{
    for (const char *const *name = below; *name != NULL; name++) {
        char *path = **name == '\0' ? mem_text(folder) : file_join(folder, *name);

        if (holds_a_probe(ops, path))
            return path;
        mem_free(path);
    }
    return NULL;
}

/* Adds the named folders of a data directory to `tried` until one holds the files. */
static char *search_named(const struct dataset_ops *ops, const char *root, struct text *tried)
{
    for (const char *const *name = ops->folders; *name != NULL; name++) {
        char *folder = file_join(root, *name);
        char *found = search_folder(ops, folder);

        text_addf(tried, "%s%s", tried->length > 0 ? ", " : "", folder);
        mem_free(folder);
        if (found != NULL)
            return found;
    }
    return NULL;
}

char *dataset_user_folder(void)
{
    const char *xdg = env_find("XDG_DATA_HOME");
    const char *home = env_find("HOME");

    if (xdg != NULL)
        return file_join(xdg, "muster");
    return home == NULL ? NULL : file_join(home, ".local/share/muster");
}

char *dataset_cache_path(const char *path, const char *ending)
{
    char *folder = dataset_user_folder(), *absolute = file_absolute(path), *result = NULL;
    const char *slash = strrchr(absolute, '/');

    if (folder != NULL)
        result = text_format("%s/cache/%.*s-%016" PRIx64 ".%s", folder, CACHE_NAME_MAX,
                             slash == NULL ? absolute : slash + 1, text_hash(absolute), ending);
    mem_free(folder);
    mem_free(absolute);
    return result;
}

static char *search_given(const struct dataset_ops *ops, const char *data_dir, struct text *tried)
{
    char *found = search_named(ops, data_dir, tried);

    if (found == NULL) {
        text_addf(tried, ", %s", data_dir);
        found = search_folder(ops, data_dir);
    }
    return found;
}

static char *search_defaults(const struct dataset_ops *ops, struct text *tried)
{
    const char *named = env_find("MUSTER_DATA");
    char *user = dataset_user_folder();
    char *found = NULL;

    if (named != NULL)
        found = search_named(ops, named, tried);
    if (found == NULL && user != NULL)
        found = search_named(ops, user, tried);
    if (found == NULL)
        found = search_named(ops, "/usr/share/datasets", tried);
    mem_free(user);
    return found;
}

static char *search_folders(const struct dataset_ops *ops, const char *data_dir, struct text *tried)
{
    return data_dir != NULL ? search_given(ops, data_dir, tried) : search_defaults(ops, tried);
}

/* How a user gets the set. */
static void add_remedy(const struct dataset_ops *ops, const char *data_dir, struct text *out)
{
    if (ops->source != NULL)
        text_addf(out, "muster data get %s%s%s, or ", ops->entry.name,
                  data_dir == NULL ? "" : " --dir ", data_dir == NULL ? "" : data_dir);
    text_add(out, ops->hint);
}

enum status dataset_find_folder(const struct dataset_ops *ops, const char *data_dir, char **folder)
{
    struct text tried = {0}, remedy = {0};

    *folder = search_folders(ops, data_dir, &tried);
    add_remedy(ops, data_dir, &remedy);
    if (*folder == NULL)
        status_fail(
            STATUS_IO,
            "data set %s not found: no %s in %s (nor in raw/ or data/ below them); to get it: %s",
            ops->entry.name, ops->probes[0], text_get(&tried), text_get(&remedy));
    text_release(&remedy);
    text_release(&tried);
    return *folder == NULL ? STATUS_IO : STATUS_OK;
}

enum status dataset_download_root(const char *data_dir, char **root)
{
    const char *named = env_find("MUSTER_DATA");

    if (data_dir != NULL || named != NULL)
        *root = mem_text(data_dir != NULL ? data_dir : named);
    else
        *root = dataset_user_folder();
    if (*root == NULL)
        return FAIL(STATUS_BAD_INPUT, "the folder for data sets is not known, because "
                                      "neither MUSTER_DATA nor HOME is set; use --dir DIR");
    return STATUS_OK;
}

char *dataset_where(const struct dataset_ops *ops, const char *data_dir)
{
    struct text tried = {0};
    char *found = ops->folders == NULL ? NULL : search_folders(ops, data_dir, &tried);

    text_release(&tried);
    return found;
}
