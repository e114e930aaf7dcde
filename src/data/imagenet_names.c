/*
 * imagenet_names.c - see imagenet_names.h.
 */
#include "data/imagenet_names.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/class_dict.h"

enum { MAP_FILE_MAX = 1 << 20 };

/* Names under way. */
struct imagenet_names {
    char **names; /* [count] */
    int64_t count;
};

static void set_name(struct imagenet_names *n, int64_t label, char *name)
{
    mem_free(n->names[label]);
    n->names[label] = name;
}

/* --- map_clsloc.txt --- */

/* A line like "n02119789 1 kit_fox"; false: it is something else. */
static bool read_line(struct imagenet_names *n, const char *line)
{
    const size_t synset = strcspn(line, " \r\n"), space = line[synset] == ' ';
    const char *number = line + synset + space, *name = number + strcspn(number, " \r\n");
    char *digits = mem_text_n(number, (size_t)(name - number));
    int64_t label = 0;
    const bool is_number = text_to_int(digits, &label);

    mem_free(digits);
    name += *name == ' ';
    const size_t length = strcspn(name, "\r\n");
    if (!is_number || label < 1 || label > IMAGENET_CLASSES || length == 0)
        return false;
    if (label <= n->count)
        set_name(n, label - 1, mem_text_n(name, length));
    return true;
}

static enum status read_lines(struct imagenet_names *n, const char *path, const char *line)
{
    for (int64_t number = 1; *line != '\0'; number++) {
        if (!read_line(n, line))
            return FAIL(STATUS_BAD_INPUT,
                        "%s:%lld: is not a line like \"n02119789 1 kit_fox\" with a number from 1 "
                        "to 1000",
                        path, (long long)number);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return STATUS_OK;
}

static enum status read_map(struct imagenet_names *n, const char *path)
{
    struct text content = {0};

    TRY(file_read(path, MAP_FILE_MAX, &content));
    const enum status s = read_lines(n, path, text_get(&content));
    text_release(&content);
    return s;
}

/* --- imagenet1000_clsidx_to_labels.txt --- */

static enum status read_dict(struct imagenet_names *n, const char *path)
{
    char **sorted = MEM_NEW_N(char *, IMAGENET_CLASSES);
    const enum status s = class_dict_read(path, sorted, IMAGENET_CLASSES);

    for (int64_t k = 0; k < n->count && s == STATUS_OK; k++)
        set_name(n, k, mem_text(sorted[imagenet_order[k]]));
    for (int64_t k = 0; k < IMAGENET_CLASSES; k++)
        mem_free(sorted[k]);
    mem_free(sorted);
    return s;
}

/* --- both --- */

static const struct name_file {
    const char *name;
    enum status (*read)(struct imagenet_names *n, const char *path);
} files[] = {
    {"map_clsloc.txt",                    read_map },
    {"imagenet1000_clsidx_to_labels.txt", read_dict},
};

/* Its path in the folder or above it, or NULL (mem_free). */
static char *find_file(const char *folder, const char *name)
{
    char *above = text_format("%s/..", folder), *path = NULL;

    if (file_exists_in(folder, name))
        path = file_join(folder, name);
    else if (file_exists_in(above, name))
        path = file_join(above, name);
    mem_free(above);
    return path;
}

enum status imagenet_names_read(const char *folder, char **names, int64_t classes)
{
    struct imagenet_names n = {.names = names, .count = classes};

    for (int64_t k = 0; k < classes; k++)
        names[k] = text_format("%lld", (long long)k + 1);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *path = find_file(folder, files[i].name);
        if (path == NULL)
            continue;
        const enum status s = files[i].read(&n, path);
        mem_free(path);
        return s;
    }
    return STATUS_OK;
}
