/*
 * temporary.c - making and removing folders that do not stay.
 */
#include "base/temporary.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/file.h"
#include "base/mem.h"

enum { OPEN_FOLDERS = 16 };

enum status temporary_make(char **folder)
{
    const char *parent = env_find("TMPDIR");
    char *path = file_join(parent == NULL ? "/tmp" : parent, "muster-XXXXXX");

    *folder = NULL;
    if (mkdtemp(path) == NULL) {
        const enum status s =
            FAIL(STATUS_IO, "%s: cannot make a folder: %s", path, strerror(errno));

        mem_free(path);
        return s;
    }
    *folder = path;
    return STATUS_OK;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    (void)remove(path);
    return 0;
}

void temporary_remove(const char *folder)
{
    (void)nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
