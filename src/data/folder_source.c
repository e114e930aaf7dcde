/*
 * folder_source.c - see folder_source.h.
 */
#include "data/folder_source.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/crc.h"
#include "base/log.h"
#include "base/mem.h"

enum { WARNINGS_MAX = 10 };

struct folder_source {
    struct sample_source base; /* first */
    const struct image_index *index;
    int64_t *items;
    int64_t count;
    atomic_int *warnings; /* so far */
};

static const struct folder_source *of(const struct sample_source *s)
{
    return (const struct folder_source *)s;
}

static char *path_of(const struct sample_source *s, int64_t number)
{
    CHECK(number < of(s)->count);
    return image_index_path(of(s)->index, of(s)->items[number]);
}

/* A picture that is damaged, but was decoded. The first few are named. */
static void warn(const struct folder_source *s, const char *path, const char *what)
{
    const int before = atomic_fetch_add(s->warnings, 1);

    if (before < WARNINGS_MAX)
        log_warning("%s: %s", path, what);
    if (before == WARNINGS_MAX)
        log_warning("more pictures are damaged; they are not named");
}

static enum status folder_read(const struct sample_source *s, int64_t number, struct image *out)
{
    char *path = path_of(s, number);
    const enum status status = image_load(out, path);

    if (status == STATUS_OK && out->warning[0] != '\0')
        warn(of(s), path, out->warning);

    mem_free(path);
    return status;
}

static void folder_will_need(const struct sample_source *s, int64_t number)
{
    char *path = path_of(s, number);
    /* Without O_NONBLOCK, a named pipe would wait for a writer. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file >= 0) {
        (void)posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
        (void)close(file);
    }
    mem_free(path);
}

/* Of classes and file names: reading a million pictures would take an hour. */
static uint32_t folder_fingerprint(const struct sample_source *s, uint32_t crc)
{
    const struct image_index *x = of(s)->index;

    for (int64_t i = 0; i < of(s)->count; i++) {
        const char *name = image_index_name(x, of(s)->items[i]);

        crc = crc32c(crc, name, strlen(name) + 1);
    }
    for (int64_t c = 0; c < x->class_count; c++)
        crc = crc32c(crc, x->names[c], strlen(x->names[c]) + 1);
    return crc;
}

static void folder_free(struct sample_source *s)
{
    mem_free(of(s)->items);
    mem_free(of(s)->warnings);
    mem_free(s);
}

struct sample_source *folder_source_new(const struct image_index *x, int64_t *items, int64_t count)
{
    static const struct sample_source_ops ops = {
        .read = folder_read,
        .will_need = folder_will_need,
        .path = path_of,
        .fingerprint = folder_fingerprint,
        .free = folder_free,
    };
    struct folder_source *s = MEM_NEW(struct folder_source);

    s->base.ops = &ops;
    s->index = x;
    s->items = items;
    s->count = count;
    s->warnings = MEM_NEW(atomic_int);
    return &s->base;
}
