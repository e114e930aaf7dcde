/*
 * sample_source.c - the checked functions of every source of samples.
 */
#include "data/sample_source.h"

#include "base/check.h"

enum status sample_source_read(const struct sample_source *s, int64_t number, struct image *out)
{
    CHECK(number >= 0);
    TRY(s->ops->read(s, number, out));
    CHECK(s->height == 0 || (out->height == s->height && out->width == s->width));
    return STATUS_OK;
}

void sample_source_will_need(const struct sample_source *s, int64_t number)
{
    if (s->ops->will_need != NULL)
        s->ops->will_need(s, number);
}

const float *sample_source_mean(const struct sample_source *s, int64_t number)
{
    return s->ops->mean == NULL ? NULL : s->ops->mean(s, number);
}

char *sample_source_path(const struct sample_source *s, int64_t number)
{
    return s->ops->path(s, number);
}

uint32_t sample_source_fingerprint(const struct sample_source *s, uint32_t crc)
{
    return s->ops->fingerprint(s, crc);
}

void sample_source_free(struct sample_source *s)
{
    if (s != NULL)
        s->ops->free(s);
}
