/*
 * planes_cache.c - see planes_cache.h.
 */
#include "data/planes_cache.h"

#include <string.h>
#include <sys/stat.h>

#include "base/crc.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/dataset.h"

struct cache_header {
    char magic[8];
    int64_t source_bytes, source_seconds, source_nanoseconds;
    int64_t count, side, has_mean;
    uint32_t reserved, crc; /* of all before it */
};
_Static_assert(sizeof(struct cache_header) == 64, "the labels begin at a multiple of 64 bytes");

static const char MAGIC[8] = "planes1";

static uint32_t header_crc(const struct cache_header *h)
{
    return crc32c(0, h, offsetof(struct cache_header, crc));
}

/* What the header of the file's cache begins with; false: the file cannot be asked. */
static bool describe_source(struct cache_header *h, const struct image_pickle_request *q)
{
    struct stat info;

    memset(h, 0, sizeof *h);
    memcpy(h->magic, MAGIC, sizeof h->magic);
    if (stat(q->path, &info) != 0)
        return false;
    h->source_bytes = info.st_size;
    h->source_seconds = info.st_mtim.tv_sec;
    h->source_nanoseconds = info.st_mtim.tv_nsec;
    h->side = q->side;
    return true;
}

/* --- reading --- */

static bool is_valid(const struct file_map *m, const struct cache_header *source,
                     struct cache_header *h)
{
    if (m->bytes < sizeof *h)
        return false;
    memcpy(h, m->data, sizeof *h);
    const int64_t image = 3 * h->side * h->side;

    return h->crc == header_crc(h) && memcmp(h->magic, MAGIC, sizeof MAGIC) == 0 &&
           h->source_bytes == source->source_bytes && h->side == source->side &&
           h->source_seconds == source->source_seconds &&
           h->source_nanoseconds == source->source_nanoseconds &&
           (int64_t)m->bytes ==
               (int64_t)sizeof *h + h->count * (4 + image) + (h->has_mean != 0 ? 4 * image : 0);
}

static void set_content(struct planes_file *f, const struct cache_header *h)
{
    const int64_t image = 3 * h->side * h->side;
    const uint8_t *at = f->map.data + sizeof *h;

    f->count = h->count;
    f->labels = MEM_NEW_N(int32_t, f->count);
    memcpy(f->labels, at, (size_t)f->count * sizeof *f->labels);
    at += (size_t)f->count * sizeof *f->labels;
    if (h->has_mean != 0) {
        f->mean = MEM_NEW_N(float, image);
        memcpy(f->mean, at, (size_t)image * sizeof *f->mean);
        at += (size_t)image * sizeof *f->mean;
    }
    f->data = at;
}

enum status planes_cache_open(struct planes_file *f, const struct image_pickle_request *q,
                              bool *found)
{
    struct cache_header source, h;
    char *path = dataset_cache_path(q->path, "planes");
    enum status s = STATUS_OK;

    *found = false;
    if (path != NULL && file_is_regular(path) && describe_source(&source, q)) {
        s = file_map_open(&f->map, path);
        *found = s == STATUS_OK && is_valid(&f->map, &source, &h);
        if (*found)
            set_content(f, &h);
        else
            file_map_close(&f->map);
    }
    mem_free(path);
    return s;
}

/* --- writing --- */

static enum status write_images(struct file_writer *w, const struct planes_file *f,
                                const struct image_pickle_request *q)
{
    const int64_t image = 3 * q->side * q->side;
    uint8_t *row = MEM_NEW_N(uint8_t, image);
    enum status s = STATUS_OK;

    for (int64_t i = 0; i < f->count && s == STATUS_OK; i++) {
        s = file_array_to_bytes(f->decoded.data, q->path, i * image, image, row);
        if (s == STATUS_OK)
            s = file_writer_put(w, row, (size_t)image);
    }
    mem_free(row);
    return s;
}

static enum status write_content(struct file_writer *w, const struct planes_file *f,
                                 const struct image_pickle_request *q, struct cache_header *h)
{
    const size_t image = (size_t)(3 * q->side * q->side);

    h->count = f->count;
    h->has_mean = f->mean != NULL;
    h->crc = header_crc(h);
    TRY(file_writer_put(w, h, sizeof *h));
    TRY(file_writer_put(w, f->labels, (size_t)f->count * sizeof *f->labels));
    if (f->mean != NULL)
        TRY(file_writer_put(w, f->mean, image * sizeof *f->mean));
    return write_images(w, f, q);
}

static enum status write_file(const struct planes_file *f, const struct image_pickle_request *q,
                              const char *path)
{
    char *folder = mem_text_n(path, (size_t)(strrchr(path, '/') - path));
    enum status s = file_make_folders(folder);
    struct file_writer w = {0};
    struct cache_header h;

    mem_free(folder);
    TRY(s);
    if (!describe_source(&h, q))
        return FAIL(STATUS_IO, "%s: cannot be read", q->path);
    TRY(file_writer_open(&w, path));
    s = write_content(&w, f, q, &h);
    return file_writer_close(&w, s);
}

bool planes_cache_write(const struct planes_file *f, const struct image_pickle_request *q)
{
    char *path = dataset_cache_path(q->path, "planes");
    const bool is_written = path != NULL && write_file(f, q, path) == STATUS_OK;

    mem_free(path);
    return is_written;
}
