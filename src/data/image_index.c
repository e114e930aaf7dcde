/*
 * image_index.c - see image_index.h.
 */
#include "data/image_index.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/folder_list.h"
#include "base/log.h"
#include "base/mem.h"
#include "data/index_cache.h"

static bool is_picture(const struct folder_entry *e)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".png", NULL};
    const char *dot = strrchr(e->name, '.');

    for (const char *const *ending = endings; dot != NULL && *ending != NULL; ending++)
        if (!e->is_folder && strcasecmp(dot, *ending) == 0)
            return true;
    return false;
}

/* --- the list while it grows --- */

void image_index_add(struct image_index *x, int32_t label, const char *name)
{
    const int64_t start = (int64_t)x->text.length;

    x->count++;
    x->labels = mem_grow(x->labels, x->count, sizeof *x->labels);
    x->starts = mem_grow(x->starts, x->count, sizeof *x->starts);
    text_add_n(&x->text, name, strlen(name) + 1);
    x->starts[x->count - 1] = start;
    x->labels[x->count - 1] = label;
}

static void add_name(struct image_index *x, const char *name)
{
    x->class_count++;
    x->names = mem_grow(x->names, x->class_count, sizeof *x->names);
    x->names[x->class_count - 1] = mem_text(name);
}

static char *class_folder(const struct image_index *x, const char *name)
{
    char *folder = x->is_flat ? mem_text(x->folder) : file_join(x->folder, name);

    if (x->inner[0] == '\0')
        return folder;
    char *inner = file_join(folder, x->inner);
    mem_free(folder);
    return inner;
}

/* --- reading --- */

/* An index while it is read. */
struct reading {
    struct image_index *x;
    struct index_cache cache;
    struct folder_stamp *stamps; /* [class_count] */
};

/* torchvision would take the pictures inside it. */
static void warn_of_folders(const char *folder, const struct folder_list *files)
{
    for (int64_t i = 0; i < files->count; i++)
        if (files->entries[i].is_folder) {
            log_warning("%s: has folders inside, such as %s; their pictures are left out", folder,
                        files->entries[i].name);
            return;
        }
}

/* The pictures of the last class, from its folder. */
static enum status list_pictures(struct image_index *x, const char *folder)
{
    const int64_t before = x->count;
    struct folder_list files;

    TRY(folder_list_read(&files, folder));
    for (int64_t i = 0; i < files.count; i++)
        if (is_picture(&files.entries[i]))
            image_index_add(x, (int32_t)x->class_count - 1, files.entries[i].name);
    if (x->count > before)
        warn_of_folders(folder, &files);
    folder_list_release(&files);
    if (x->count == before)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: has no pictures (.jpg, .jpeg or .png); a folder is a class here", folder);
    return STATUS_OK;
}

/* The same from names[bytes], each with its 0. */
static void add_pictures(struct image_index *x, const char *names, int64_t bytes)
{
    for (const char *name = names; name < names + bytes; name += strlen(name) + 1)
        image_index_add(x, (int32_t)x->class_count - 1, name);
}

static enum status add_class(struct reading *r, const char *name)
{
    struct image_index *x = r->x;
    char *folder = class_folder(x, name);
    const struct folder_stamp stamp = folder_stamp_of(folder);
    int64_t bytes = 0;
    const char *names = index_cache_find(&r->cache, name, &stamp, &bytes);
    enum status s = STATUS_OK;

    add_name(x, name);
    r->stamps = mem_grow(r->stamps, x->class_count, sizeof *r->stamps);
    r->stamps[x->class_count - 1] = stamp;
    if (names != NULL)
        add_pictures(x, names, bytes);
    else
        s = list_pictures(x, folder);
    mem_free(folder);
    return s;
}

static enum status add_classes(struct reading *r, const struct folder_list *folders)
{
    for (int64_t i = 0; i < folders->count; i++)
        if (folders->entries[i].is_folder)
            TRY(add_class(r, folders->entries[i].name));
    if (r->x->class_count == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: has no folders; each class of pictures needs one",
                    r->x->folder);
    return STATUS_OK;
}

static enum status read_classes(struct image_index *x, const struct folder_list *folders)
{
    struct reading r = {.x = x};

    index_cache_open(&r.cache, x);
    const enum status s = add_classes(&r, folders);
    if (s == STATUS_OK && x->count >= IMAGE_INDEX_KEPT)
        (void)index_cache_update(&r.cache, x, r.stamps);
    index_cache_close(&r.cache);
    mem_free(r.stamps);
    return s;
}

/* --- interface --- */

enum status image_index_read(struct image_index *x, const char *folder, const char *inner)
{
    struct folder_list folders = {0};

    *x = (struct image_index){.folder = mem_text(folder), .inner = mem_text(inner)};
    enum status s = folder_list_read(&folders, folder);
    if (s == STATUS_OK)
        s = read_classes(x, &folders);
    folder_list_release(&folders);
    if (s != STATUS_OK)
        image_index_release(x);
    return s;
}

void image_index_init_flat(struct image_index *x, const char *folder, const char *inner,
                           const struct image_index *classes)
{
    *x =
        (struct image_index){.folder = mem_text(folder), .inner = mem_text(inner), .is_flat = true};
    for (int64_t c = 0; c < classes->class_count; c++)
        add_name(x, classes->names[c]);
}

void image_index_release(struct image_index *x)
{
    for (int64_t i = 0; i < x->class_count; i++)
        mem_free(x->names[i]);
    mem_free(x->names);
    mem_free(x->folder);
    mem_free(x->inner);
    mem_free(x->labels);
    mem_free(x->starts);
    text_release(&x->text);
    *x = (struct image_index){0};
}

const char *image_index_name(const struct image_index *x, int64_t i)
{
    return text_get(&x->text) + x->starts[i];
}

char *image_index_path(const struct image_index *x, int64_t i)
{
    char *folder = class_folder(x, x->names[x->labels[i]]);
    char *path = file_join(folder, image_index_name(x, i));

    mem_free(folder);
    return path;
}
