/*
 * planes_source.c - see planes_source.h.
 */
#include "data/planes_source.h"

#include "base/check.h"
#include "base/crc.h"
#include "base/mem.h"
#include "data/planes.h"

enum { SAMPLES_CHECKED = 64 };

struct planes_source {
    struct sample_source base; /* first */
    struct planes_content content;
};

static const struct planes_content *of(const struct sample_source *s)
{
    return &((const struct planes_source *)s)->content;
}

static const struct planes_file *file_of(const struct sample_source *s, int64_t number)
{
    CHECK(number < of(s)->count);
    return &of(s)->files[of(s)->items[number].file];
}

static const uint8_t *planes_of(const struct sample_source *s, int64_t number)
{
    return file_of(s, number)->data + (int64_t)of(s)->items[number].row * 3 * s->height * s->width;
}

static enum status planes_read(const struct sample_source *s, int64_t number, struct image *out)
{
    image_set_size(out, s->width, s->height);
    out->warning[0] = '\0';
    planes_to_pixels(out->pixels, planes_of(s, number), s->height * s->width);
    return STATUS_OK;
}

static void planes_will_need(const struct sample_source *s, int64_t number)
{
    const struct planes_file *f = file_of(s, number);

    if (f->map.data != NULL)
        file_map_prefetch(&f->map, (size_t)(planes_of(s, number) - f->map.data),
                          (size_t)(3 * s->height * s->width));
}

static const float *planes_mean(const struct sample_source *s, int64_t number)
{
    return file_of(s, number)->mean;
}

static char *planes_path(const struct sample_source *s, int64_t number)
{
    return mem_text(file_of(s, number)->path);
}

/* Of which images there are and of a few of them: all are gigabytes. */
static uint32_t planes_fingerprint(const struct sample_source *s, uint32_t crc)
{
    const struct planes_content *c = of(s);
    const size_t image = (size_t)(3 * s->height * s->width);
    const int64_t step = c->count / SAMPLES_CHECKED + 1;

    crc = crc32c(crc, c->items, (size_t)c->count * sizeof *c->items);
    for (int64_t i = 0; i < c->count; i += step)
        crc = crc32c(crc, planes_of(s, i), image);
    return crc;
}

static void planes_free(struct sample_source *s)
{
    const struct planes_content *c = of(s);

    for (int64_t k = 0; k < c->file_count; k++)
        planes_file_close(&c->files[k]);
    mem_free(c->files);
    mem_free(c->items);
    mem_free(s);
}

struct sample_source *planes_source_new(const struct planes_content *content)
{
    static const struct sample_source_ops ops = {
        .read = planes_read,
        .will_need = planes_will_need,
        .mean = planes_mean,
        .path = planes_path,
        .fingerprint = planes_fingerprint,
        .free = planes_free,
    };
    struct planes_source *s = MEM_NEW(struct planes_source);

    s->base.ops = &ops;
    s->base.height = s->base.width = content->side;
    s->content = *content;
    return &s->base;
}
