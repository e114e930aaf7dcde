/*
 * scratch.h - a folder of the test's own, and the way to get rid of it.
 */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"

/* A new empty folder, to be given to scratch_remove. */
static inline char *scratch_new(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = file_join(parent == NULL ? "/tmp" : parent, "muster-test-XXXXXX");

    CHECK(mkdtemp(path) != NULL);
    return path;
}

static inline int scratch_remove_one(const char *path, const struct stat *info, int type,
                                     struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void scratch_remove(char *path)
{
    nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    mem_free(path);
}

#endif
