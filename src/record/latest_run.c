/*
 * latest_run.c - see latest_run.h. The link is made under another name and renamed, so that it
 * always points to a run.
 */
#include "record/latest_run.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* Nothing, or a link: what is neither belongs to the user. */
static bool is_free(const char *path)
{
    struct stat s;

    return lstat(path, &s) != 0 || S_ISLNK(s.st_mode);
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

void latest_run_set(const char *parent, const char *folder)
{
    char *path = file_join(parent, "latest");
    char *made = text_format("%s.%ld.tmp", path, (long)getpid());

    if (is_free(path) && symlink(last_name(folder), made) == 0 && rename(made, path) != 0)
        (void)unlink(made);
    mem_free(made);
    mem_free(path);
}

static enum status fail_missing(const char *parent, const char *target)
{
    if (target == NULL)
        return FAIL(STATUS_BAD_INPUT,
                    "%s/latest does not exist (it points to the newest run); name a run", parent);
    return FAIL(STATUS_BAD_INPUT, "%s/latest points to %s, which does not exist; name a run",
                parent, target);
}

enum status latest_run_find(const char *parent, char **folder)
{
    char *path = file_join(parent, "latest");
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);

    *folder = NULL;
    mem_free(path);
    if (length < 0)
        return fail_missing(parent, NULL);
    target[length] = '\0';
    *folder = file_join(parent, target);
    if (file_is_folder(*folder))
        return STATUS_OK;
    mem_free(*folder);
    *folder = NULL;
    return fail_missing(parent, target);
}
