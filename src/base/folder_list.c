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

enum status folder_list_read(struct folder_list *l, const char *folder)
{
    DIR *dir = opendir(folder);

    *l = (struct folder_list){0};
    if (dir == NULL)
        return FAIL(STATUS_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] == '.')
            continue;
        l->entries = mem_grow(l->entries, l->count + 1, sizeof *l->entries);
        l->entries[l->count++] = (struct folder_entry){mem_text(e->d_name), is_folder(folder, e)};
    }
    (void)closedir(dir);
    if (l->count > 0)
        qsort(l->entries, (size_t)l->count, sizeof *l->entries, by_name);
    return STATUS_OK;
}

void folder_list_release(struct folder_list *l)
{
    for (int64_t i = 0; i < l->count; i++)
        mem_free(l->entries[i].name);
    mem_free(l->entries);
    *l = (struct folder_list){0};
}
