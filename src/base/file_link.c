/*
 * file_link.c - links between files.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

bool file_is_same(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* `name` in the folder of `path`, as a path. */
static char *in_same_folder(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? mem_text(name) : text_format("%.*s/%s", (int)(slash - path), path, name);
}

enum status file_link(const char *name, const char *path)
{
    char *temporary = text_format("%s.%ld.tmp", path, (long)getpid());
    char *target = in_same_folder(path, name);
    enum status s = STATUS_OK;

    (void)unlink(temporary);
    if (symlink(name, temporary) == 0 || link(target, temporary) == 0)
        s = file_rename(temporary, path);
    else if (errno == ENOSPC || errno == EDQUOT || errno == EACCES || errno == EROFS)
        s = FAIL(STATUS_IO, "%s: cannot make the link: %s", path, strerror(errno));
    else
        s = file_remove(path); /* this file system has no links */
    if (s != STATUS_OK)
        (void)unlink(temporary);
    mem_free(target);
    mem_free(temporary);
    return s;
}
