/*
 * file_path.c - paths as texts: joined, and made absolute.
 */
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

char *file_join(const char *a, const char *b)
{
    const size_t n = strlen(a);

    if (b[0] == '/' || n == 0)
        return mem_text(b);
    return text_format(a[n - 1] == '/' ? "%s%s" : "%s/%s", a, b);
}

/* Only of a folder that is not a link its parent is the path without its last name. */
static bool is_plain_folder(const char *path)
{
    struct stat found;

    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static void remove_last(struct text *path)
{
    while (path->length > 0 && path->data[--path->length] != '/')
        continue;
    path->data[path->length] = '\0';
}

static void add_part(struct text *path, const char *part, size_t length)
{
    if (length == 0 || (length == 1 && part[0] == '.'))
        return;
    if (length == 2 && memcmp(part, "..", 2) == 0 &&
        (path->length == 0 || is_plain_folder(text_get(path)))) {
        if (path->length > 0)
            remove_last(path);
        return;
    }
    text_add(path, "/");
    text_add_n(path, part, length);
}

static void add_parts(struct text *path, const char *parts)
{
    while (*parts != '\0') {
        const size_t length = strcspn(parts, "/");

        add_part(path, parts, length);
        parts += length + (parts[length] == '/' ? 1 : 0);
    }
}

char *file_absolute(const char *path)
{
    char here[PATH_MAX];
    struct text whole = {0};

    if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
        return mem_text(path);
    if (path[0] != '/')
        add_parts(&whole, here);
    add_parts(&whole, path);
    if (whole.length == 0)
        text_add(&whole, "/");
    return text_take(&whole);
}
