/*
 * source_case.h - a source of made-up pictures, for tests: every pixel of picture i is
 * (i, place of the pixel, 7). Some of them cannot be read.
 */
#ifndef TESTS_UNIT_SOURCE_CASE_H
#define TESTS_UNIT_SOURCE_CASE_H

#include <stdatomic.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/preparation.h"

enum { CASE_SIDE = 4, CASE_COUNT = 40, CASE_BYTES = CASE_SIDE * CASE_SIDE * 3 };

struct source_case {
    struct sample_source base; /* first */
    const int64_t *broken;     /* ends with -1 */
    atomic_int reads, asks;
};

static inline enum status case_read(const struct sample_source *s, int64_t number,
                                    struct image *out)
{
    struct source_case *c = (struct source_case *)(uintptr_t)s;

    atomic_fetch_add(&c->reads, 1);
    for (const int64_t *b = c->broken; *b >= 0; b++)
        if (*b == number)
            return FAIL(STATUS_IO, "picture %lld: is broken", (long long)number);
    image_set_size(out, CASE_SIDE, CASE_SIDE);
    for (int64_t i = 0; i < CASE_BYTES; i++)
        out->pixels[i] = (uint8_t)(i % 3 == 0 ? number : i % 3 == 1 ? i / 3 : 7);
    return STATUS_OK;
}

static inline void case_will_need(const struct sample_source *s, int64_t number)
{
    (void)number;
    atomic_fetch_add(&((struct source_case *)(uintptr_t)s)->asks, 1);
}

static inline char *case_path(const struct sample_source *s, int64_t number)
{
    (void)s;
    return text_format("picture %02lld", (long long)number);
}

static inline uint32_t case_fingerprint(const struct sample_source *s, uint32_t crc)
{
    (void)s;
    return crc + 1;
}

static inline void case_free(struct sample_source *s)
{
    mem_free(s);
}

/* Labels are number % 4. */
static inline void source_case_init(struct dataset *d, const int64_t *broken)
{
    static const struct sample_source_ops ops = {
        .read = case_read,
        .will_need = case_will_need,
        .path = case_path,
        .fingerprint = case_fingerprint,
        .free = case_free,
    };
    struct source_case *c = MEM_NEW(struct source_case);

    c->base.ops = &ops;
    c->base.height = c->base.width = CASE_SIDE;
    c->broken = broken;
    *d = (struct dataset){.height = CASE_SIDE, .width = CASE_SIDE, .channels = 3, .classes = 4};
    dataset_cycle_labels(&d->train, CASE_COUNT, 4);
    d->train.source = &c->base;
}

static inline void source_case_release(struct dataset *d)
{
    sample_source_free(d->train.source);
    mem_free(d->train.labels);
}

static inline struct preparation source_case_preparation(const struct dataset *d)
{
    return (struct preparation){
        .dataset = d,
        .height = CASE_SIDE,
        .width = CASE_SIDE,
        .evaluation = augment_center(CASE_SIDE, CASE_SIDE, 0),
        .training = augment_padded(CASE_SIDE, CASE_SIDE, 1),
        .augments = true,
    };
}

#endif
