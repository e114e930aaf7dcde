/*
 * file_order.c - see file_order.h.
 */
#include "data/file_order.h"

#include "base/check.h"
#include "base/mem.h"

void sample_files_add(struct sample_files *f, int64_t end)
{
    CHECK(end >= 0 && (f->count == 0 || end >= f->ends[f->count - 1]));
    f->count++;
    f->ends = mem_grow(f->ends, f->count, sizeof *f->ends);
    f->ends[f->count - 1] = end;
}

void sample_files_release(struct sample_files *f)
{
    mem_free(f->ends);
    *f = (struct sample_files){0};
}

void file_order(const struct rng *r, const struct sample_files *f, int64_t *items, int64_t count)
{
    int64_t begin = 0;

    if (f->count == 0)
        rng_order(r, items, count);
    for (int64_t k = 0; k < f->count; k++) {
        int64_t end = begin;

        while (end < count && items[end] < f->ends[k])
            end++;
        rng_order(r, items + begin, end - begin);
        begin = end;
    }
    CHECK(f->count == 0 || begin == count);
}
