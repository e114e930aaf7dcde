/*
 * index_cache.c - see index_cache.h.
 */
#include "data/index_cache.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/crc.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/dataset.h"

struct cache_header {
    char magic[8];
    int64_t class_count, text_bytes;
    int64_t reserved[4];
    uint32_t content_crc; /* of all after the header */
    uint32_t crc;         /* of all before it */
};
_Static_assert(sizeof(struct cache_header) == 64, "the classes begin at a multiple of 64 bytes");

struct cached_class {
    struct folder_stamp stamp;
    int64_t bytes; /* of the names of its pictures */
};
_Static_assert(sizeof(struct cached_class) == 48, "has no gaps, whose bytes would be random");

static const char MAGIC[8] = "names01";
static const size_t file_limit = (size_t)1 << 34;
static const double STEP_SECONDS = 2; /* the coarsest time of a file system, that of FAT */

struct folder_stamp folder_stamp_of(const char *folder)
{
    struct stat info;

    if (stat(folder, &info) != 0)
        return (struct folder_stamp){0};
    return (struct folder_stamp){
        .inode = (int64_t)info.st_ino,
        .modified_seconds = info.st_mtim.tv_sec,
        .modified_nanoseconds = info.st_mtim.tv_nsec,
        .changed_seconds = info.st_ctim.tv_sec,
        .changed_nanoseconds = info.st_ctim.tv_nsec,
    };
}

/* --- reading --- */

static uint32_t header_crc(const struct cache_header *h)
{
    return crc32c(0, h, offsetof(struct cache_header, crc));
}

static bool is_complete(const struct text *file, struct cache_header *h)
{
    if (file->length < sizeof *h)
        return false;
    memcpy(h, file->data, sizeof *h);
    const int64_t rest = (int64_t)(file->length - sizeof *h);

    return memcmp(h->magic, MAGIC, sizeof MAGIC) == 0 && h->crc == header_crc(h) &&
           h->class_count >= 0 && h->class_count <= rest / (int64_t)sizeof(struct cached_class) &&
           h->text_bytes == rest - h->class_count * (int64_t)sizeof(struct cached_class) &&
           h->content_crc == crc32c(0, file->data + sizeof *h, (size_t)rest);
}

/* One string of the text behind another; "" at its end, where the NUL of every text is. */
static const char *following(const char *string)
{
    return string + strlen(string) + 1;
}

static const char *end_of(const struct text *file)
{
    return file->data + file->length;
}

/* Sets the places of everything, if the text has as many strings as the classes need. */
static bool set_places(struct index_cache *c, const char *absolute, const char *inner)
{
    const char *at = (const char *)(c->classes + c->class_count), *end = end_of(&c->file);
    int64_t bytes = 0;

    if (strcmp(at, absolute) != 0 || following(at) >= end || strcmp(following(at), inner) != 0)
        return false;
    c->name = at = following(following(at));
    for (int64_t k = 0; k < c->class_count; k++) {
        if (at >= end)
            return false;
        at = following(at);
    }
    c->list = at;
    for (int64_t k = 0; k < c->class_count; k++) {
        if (c->classes[k].bytes <= 0 || c->classes[k].bytes > end - at - bytes)
            return false;
        bytes += c->classes[k].bytes;
        if (at[bytes - 1] != '\0')
            return false;
    }
    return at + bytes == end;
}

static void forget(struct index_cache *c)
{
    text_release(&c->file);
    c->classes = NULL;
    c->class_count = 0;
}

void index_cache_open(struct index_cache *c, const struct image_index *x)
{
    char *absolute = file_absolute(x->folder), *pictures = file_join(absolute, x->inner);
    struct cache_header h;

    *c = (struct index_cache){.path = dataset_cache_path(pictures, "names"),
                              .started = clock_unix()};
    if (c->path != NULL && file_is_regular(c->path) &&
        file_read(c->path, file_limit, &c->file) == STATUS_OK && is_complete(&c->file, &h)) {
        c->classes = (const struct cached_class *)(const void *)(c->file.data + sizeof h);
        c->class_count = h.class_count;
        if (!set_places(c, absolute, x->inner))
            forget(c);
    } else {
        forget(c);
    }
    mem_free(pictures);
    mem_free(absolute);
}

void index_cache_close(struct index_cache *c)
{
    mem_free(c->path);
    text_release(&c->file);
    *c = (struct index_cache){0};
}

static void step_on(struct index_cache *c)
{
    c->list += c->classes[c->next].bytes;
    c->name = following(c->name);
    c->next++;
}

const char *index_cache_find(struct index_cache *c, const char *name, const struct folder_stamp *at,
                             int64_t *bytes)
{
    while (c->next < c->class_count && strcmp(c->name, name) < 0)
        step_on(c);
    if (c->next == c->class_count || strcmp(c->name, name) != 0 ||
        memcmp(&c->classes[c->next].stamp, at, sizeof *at) != 0)
        return NULL;
    *bytes = c->classes[c->next].bytes;
    c->used++;
    return c->list;
}

/* --- writing --- */

/* Whether a folder was changed so shortly before that another change may have the same time. */
static bool is_changing(const struct index_cache *c, const struct folder_stamp *stamps,
                        int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if ((double)stamps[k].modified_seconds + STEP_SECONDS >= c->started)
            return true;
    return false;
}

static void add_string(struct text *t, const char *string)
{
    text_add_n(t, string, strlen(string) + 1);
}

/* All but the names of the pictures. */
static void add_content(struct text *t, const struct image_index *x,
                        const struct folder_stamp *stamps)
{
    char *absolute = file_absolute(x->folder);
    int64_t i = 0;

    for (int64_t k = 0; k < x->class_count; k++) {
        const int64_t first = x->starts[i];

        while (i < x->count && x->labels[i] == k)
            i++;
        const int64_t end = i < x->count ? x->starts[i] : (int64_t)x->text.length;
        const struct cached_class c = {stamps[k], end - first};
        text_add_n(t, (const char *)&c, sizeof c);
    }
    add_string(t, absolute);
    add_string(t, x->inner);
    for (int64_t k = 0; k < x->class_count; k++)
        add_string(t, x->names[k]);
    mem_free(absolute);
}

static enum status write_file(const char *path, const struct image_index *x,
                              const struct text *content)
{
    struct cache_header h = {.class_count = x->class_count};
    struct file_writer w = {0};

    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.text_bytes = (int64_t)(content->length + x->text.length) -
                   x->class_count * (int64_t)sizeof(struct cached_class);
    h.content_crc = crc32c(crc32c(0, content->data, content->length), x->text.data, x->text.length);
    h.crc = header_crc(&h);
    TRY(file_writer_open(&w, path));
    w.is_unsynced = true; /* a file that a crash has damaged is known by its checksum */
    enum status s = file_writer_put(&w, &h, sizeof h);
    if (s == STATUS_OK)
        s = file_writer_put(&w, content->data, content->length);
    if (s == STATUS_OK)
        s = file_writer_put(&w, x->text.data, x->text.length);
    return file_writer_close(&w, s);
}

bool index_cache_update(const struct index_cache *c, const struct image_index *x,
                        const struct folder_stamp *stamps)
{
    struct text content = {0};

    if (c->used == x->class_count && c->used == c->class_count)
        return true;
    if (c->path == NULL || is_changing(c, stamps, x->class_count))
        return false;
    char *folder = mem_text_n(c->path, (size_t)(strrchr(c->path, '/') - c->path));
    add_content(&content, x, stamps);
    const bool is_written =
        file_make_folders(folder) == STATUS_OK && write_file(c->path, x, &content) == STATUS_OK;
    text_release(&content);
    mem_free(folder);
    return is_written;
}
