/*
 * model_search.c - walks through folders and collects runs and model files.
 */
#include "record/model_search.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/rundir.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* --- the list --- */

/* A run and its model file are the same thing. What does not exist is zero. */
static struct model_identity identity_of(const char *path)
{
    char *model = file_join(path, "model.safetensors");
    struct stat s = {0};
    const bool is_found = stat(model, &s) == 0 || stat(path, &s) == 0;

    mem_free(model);
    return is_found ? (struct model_identity){s.st_dev, s.st_ino} : (struct model_identity){0};
}

static bool has_identity(const struct model_paths *p, const struct model_identity *id)
{
    for (int64_t i = 0; i < p->count; i++)
        if (id->number != 0 && p->identities[i].device == id->device &&
            p->identities[i].number == id->number)
            return true;
    return false;
}

static void add_path(struct model_paths *p, const char *path)
{
    const struct model_identity id = identity_of(path);

    if (has_identity(p, &id))
        return;
    p->items = mem_grow(p->items, p->count + 1, sizeof *p->items);
    p->identities = mem_grow(p->identities, p->count + 1, sizeof *p->identities);
    p->items[p->count] = mem_text(path);
    p->identities[p->count++] = id;
}

void model_paths_release(struct model_paths *p)
{
    for (int64_t i = 0; i < p->count; i++)
        mem_free(p->items[i]);
    mem_free(p->items);
    mem_free(p->identities);
    *p = (struct model_paths){0};
}

/* --- the walk --- */

static int name_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* False: the folder cannot be read. */
static bool list_folder(const char *folder, struct rundir_names *names)
{
    DIR *dir = opendir(folder);

    if (dir == NULL)
        return false;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        if (e->d_name[0] != '.' && strcmp(e->d_name, "checkpoints") != 0)
            rundir_names_add(names, e->d_name);
    (void)closedir(dir);
    if (names->count > 0)
        qsort(names->items, (size_t)names->count, sizeof *names->items, name_order);
    return true;
}

static bool add_below(struct model_paths *p, const char *folder);

/* Whether there was something to add; likewise below. */
static bool add_entry(struct model_paths *p, const char *path)
{
    struct stat s;

    if (lstat(path, &s) != 0)
        return false; /* it was removed meanwhile */
    if (S_ISDIR(s.st_mode) && !rundir_is_run(path))
        return add_below(p, path);
    if (!S_ISDIR(s.st_mode) && !(S_ISREG(s.st_mode) && ends_with(path, ".safetensors")))
        return false;
    add_path(p, path);
    return true;
}

static bool add_below(struct model_paths *p, const char *folder)
{
    struct rundir_names names = {0};
    bool has_any = false;

    if (!list_folder(folder, &names)) {
        add_path(p, folder);
        return true;
    }
    for (int64_t i = 0; i < names.count; i++) {
        char *path = file_join(folder, names.items[i]);

        has_any = add_entry(p, path) || has_any;
        mem_free(path);
    }
    rundir_names_release(&names);
    return has_any;
}

/* Without slashes at its end; mem_free. */
static char *trimmed(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return mem_text_n(path, length);
}

void model_search_add(struct model_paths *p, const char *given)
{
    char *path = trimmed(given);
    const bool is_searched = file_is_folder(path) && !rundir_is_run(path);

    if (!is_searched || !add_below(p, path))
        add_path(p, path);
    mem_free(path);
}
