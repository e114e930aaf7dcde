/*
 * tiny_imagenet.c - see tiny_imagenet.h.
 */
#include "data/tiny_imagenet.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder_list.h"
#include "base/mem.h"

enum { FILE_LIMIT = 1 << 26 };
static const char ANNOTATIONS[] = "val_annotations.txt";

bool tiny_imagenet_is(const char *train)
{
    struct folder_list classes;
    bool is = false;

    if (folder_list_read(&classes, train) != STATUS_OK)
        return false;
    for (int64_t i = 0; i < classes.count; i++) {
        if (!classes.entries[i].is_folder)
            continue;
        char *folder = file_join(train, classes.entries[i].name);
        char *images = file_join(folder, "images");

        is = file_is_folder(images);
        mem_free(images);
        mem_free(folder);
        break;
    }
    folder_list_release(&classes);
    return is;
}

bool tiny_imagenet_has_annotations(const char *test)
{
    return file_exists_in(test, ANNOTATIONS);
}

/* --- annotations --- */

struct annotation {
    char *file; /* of the text, which is cut in place */
    int64_t label;
};

static int64_t find_class(const struct image_index *train, const char *name)
{
    for (int64_t c = 0; c < train->class_count; c++)
        if (strcmp(train->names[c], name) == 0)
            return c;
    return -1;
}

/* "val_0.JPEG\tn03444034\t0\t32\t44\t62" */
static enum status read_line(char *line, const struct image_index *train, struct annotation *a)
{
    char *tab = strchr(line, '\t');

    if (tab == NULL)
        return FAIL(STATUS_BAD_INPUT, "\"%s\" is not a file name, a tab and a class", line);
    *tab = '\0';
    tab[1 + strcspn(tab + 1, "\t\r")] = '\0';
    *a = (struct annotation){.file = line, .label = find_class(train, tab + 1)};
    if (a->label < 0)
        return FAIL(STATUS_BAD_INPUT, "%s: has no class %s", train->folder, tab + 1);
    return STATUS_OK;
}

/* By class, then by name, as an index is. */
static int by_class(const void *a, const void *b)
{
    const struct annotation *x = a, *y = b;

    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return strcmp(x->file, y->file);
}

/* The next line of a text, which is cut in place; NULL: there is none. */
static char *next_line(char **text)
{
    char *line = *text;

    if (line == NULL || *line == '\0')
        return NULL;
    char *end = strchr(line, '\n');
    if (end != NULL)
        *end = '\0';
    *text = end == NULL ? NULL : end + 1;
    return line;
}

struct annotations {
    struct annotation *items;
    int64_t count;
};

static enum status read_lines(char *text, const char *path, const struct image_index *train,
                              struct annotations *all)
{
    int64_t number = 0;

    for (char *line = next_line(&text); line != NULL; line = next_line(&text)) {
        struct annotation a;

        number++;
        if (*line == '\0')
            continue;
        const enum status s = read_line(line, train, &a);
        if (s != STATUS_OK)
            return FAIL(s, "%s:%lld: %s", path, (long long)number, status_message());
        all->items = mem_grow(all->items, ++all->count, sizeof *all->items);
        all->items[all->count - 1] = a;
    }
    return all->count > 0 ? STATUS_OK : FAIL(STATUS_BAD_INPUT, "%s: is empty", path);
}

static enum status read_annotations(const char *path, const struct image_index *train,
                                    struct image_index *x)
{
    struct text content = {0};
    struct annotations all = {0};
    enum status s = file_read(path, FILE_LIMIT, &content);

    if (s == STATUS_OK)
        s = read_lines(content.data, path, train, &all);
    if (s == STATUS_OK)
        qsort(all.items, (size_t)all.count, sizeof *all.items, by_class);
    for (int64_t i = 0; i < all.count && s == STATUS_OK; i++)
        image_index_add(x, (int32_t)all.items[i].label, all.items[i].file);
    mem_free(all.items);
    text_release(&content);
    return s;
}

enum status tiny_imagenet_read_test(struct image_index *x, const char *test,
                                    const struct image_index *train)
{
    char *path = file_join(test, ANNOTATIONS);

    image_index_init_flat(x, test, "images", train);
    const enum status s = read_annotations(path, train, x);
    mem_free(path);
    if (s != STATUS_OK)
        image_index_release(x);
    return s;
}
