/*
 * sum.c - sums in rank order, a block at a time so that the partial sums stay in the first
 * cache.
 */
#include "comm/sum.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

enum { BLOCK_BYTES = 4096 };

/* The partial sums of a block. */
union block {
    float floats[BLOCK_BYTES / sizeof(float)];
    double doubles[BLOCK_BYTES / sizeof(double)];
    uint64_t wholes[BLOCK_BYTES / sizeof(uint64_t)]; /* unsigned: they wrap around */
};

size_t sum_type_size(enum sum_type type)
{
    switch (type) {
    case SUM_FLOAT:
        return sizeof(float);
    case SUM_DOUBLE:
        return sizeof(double);
    case SUM_INT64:
        return sizeof(int64_t);
    }
    BUG("sum type out of range");
}

const char *sum_type_noun(enum sum_type type)
{
    switch (type) {
    case SUM_FLOAT:
        return "floats";
    case SUM_DOUBLE:
        return "doubles";
    case SUM_INT64:
        return "whole numbers";
    }
    BUG("sum type out of range");
}

static void add_floats(float *restrict sum, const float *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += x[i];
}

static void add_doubles(double *restrict sum, const double *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += x[i];
}

static void add_wholes(uint64_t *restrict sum, const uint64_t *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += x[i];
}

static void add(union block *sum, const void *x, enum sum_type type, int64_t n)
{
    switch (type) {
    case SUM_FLOAT:
        add_floats(sum->floats, x, n);
        return;
    case SUM_DOUBLE:
        add_doubles(sum->doubles, x, n);
        return;
    case SUM_INT64:
        add_wholes(sum->wholes, x, n);
        return;
    }
    BUG("sum type out of range");
}

void sum_in_order(const struct reduction *r)
{
    const size_t size = sum_type_size(r->type);
    const int64_t block = BLOCK_BYTES / (int64_t)size;
    union block sum;

    CHECK(r->inputs >= 1 && r->begin >= 0);
    for (int64_t begin = r->begin; begin < r->end; begin += block) {
        const int64_t n = r->end - begin < block ? r->end - begin : block;
        const size_t offset = (size_t)begin * size, bytes = (size_t)n * size;

        memcpy(&sum, (const char *)r->in[0] + offset, bytes);
        for (int k = 1; k < r->inputs; k++)
            add(&sum, (const char *)r->in[k] + offset, r->type, n);
        for (int k = 0; k < r->outputs; k++)
            memcpy((char *)r->out[k] + offset, &sum, bytes);
    }
}

struct sum_buffer *sum_buffer_take(struct sum_buffer *buffers, int count, size_t bytes)
{
    struct sum_buffer *found = NULL;

    for (int i = 0; i < count && (found == NULL || found->capacity < bytes); i++)
        if (!buffers[i].is_used && (found == NULL || buffers[i].capacity >= bytes))
            found = &buffers[i];
    CHECK(found != NULL);
    if (found->capacity < bytes) {
        mem_free(found->data);
        found->data = mem_alloc((int64_t)bytes, 1);
        found->capacity = bytes;
    }
    found->is_used = true;
    return found;
}

void sum_buffers_release(struct sum_buffer *buffers, int count)
{
    for (int i = 0; i < count; i++)
        mem_free(buffers[i].data);
}
