/*
 * folder_list.c - see folder_list.h.
 */
#include "base/folder_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

/* Most file systems say in the entry whether it is a folder. Only links and others need a look. */
static bool is_folder(const char *folder, const struct dirent *e)
{
    if (e->d_type == DT_DIR || e->d_type == DT_REG)
        return e->d_type == DT_DIR;
    char *path = file_join(folder, e->d_name);
    const bool is = file_is_folder(path);
    mem_free(path);
    return is;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct folder_entry *)a)->name, ((const struct folder_entry *)b)->name);
}

/* The names of an open folder, one after the other in l->text. */
static void read_entries(struct folder_list *l, const char *folder, DIR *dir)
{
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] == '.')
            continue;
        l->entries = mem_grow(l->entries, l->count + 1, sizeof *l->entries);
        l->entries[l->count++].is_folder = is_folder(folder, e);
        text_add_n(&l->text, e->d_name, strlen(e->d_name) + 1);
    }
}

/* The text stays where it is now. */
static void set_names(struct folder_list *l)
{
    const char *name = text_get(&l->text);

    for (int64_t i = 0; i < l->count; i++) {
        l->entries[i].name = name;
        name += strlen(name) + 1;
    }
}

enum status folder_list_read(struct folder_list *l, const char *folder)
{
    DIR *dir = opendir(folder);

    *l = (struct folder_list){0};
    if (dir == NULL)
        return FAIL(STATUS_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    read_entries(l, folder, dir);
    (void)closedir(dir);
    set_names(l);
    if (l->count > 0)
        qsort(l->entries, (size_t)l->count, sizeof *l->entries, by_name);
    return STATUS_OK;
}

void folder_list_release(struct folder_list *l)
{
    mem_free(l->entries);
    text_release(&l->text);
    *l = (struct folder_list){0};
}
