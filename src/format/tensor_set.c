/*
 * tensor_set.c - the set in memory, and the list of formats.
 */
#include "format/tensor_set.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

#define ZIP_BEGINNING "PK\003\004"

const struct tensor_format tensor_formats[] = {
    {"safetensors",                NULL, tensor_set_save_safetensors},
    {"pt", ZIP_BEGINNING, tensor_set_save_pt},
    {"npz",                         ZIP_BEGINNING, tensor_set_save_npz},
    {0         },
};

size_t named_tensor_bytes(const struct named_tensor *t)
{
    return (size_t)t->count * (t->is_whole ? sizeof(int64_t) : sizeof(float));
}

struct named_tensor *tensor_set_add(struct tensor_set *s, const char *name, bool is_whole, int rank,
                                    const int64_t *dims)
{
    struct named_tensor t = {.is_whole = is_whole, .rank = rank, .count = 1};

    CHECK(rank >= 0 && rank <= TENSOR_SET_RANK_MAX);
    for (int i = 0; i < rank; i++) {
        t.dims[i] = dims[i];
        CHECK(dims[i] >= 0 && !__builtin_mul_overflow(t.count, dims[i], &t.count));
    }
    t.name = mem_text(name);
    t.data = mem_alloc(t.count, is_whole ? sizeof(int64_t) : sizeof(float));
    s->items = mem_grow(s->items, s->count + 1, sizeof *s->items);
    s->items[s->count] = t;
    return &s->items[s->count++];
}

const struct named_tensor *tensor_set_find(const struct tensor_set *s, const char *name)
{
    for (int64_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].name, name) == 0)
            return &s->items[i];
    return NULL;
}

void tensor_set_cut(struct tensor_set *s, int64_t first)
{
    while (s->count > first) {
        s->count--;
        mem_free(s->items[s->count].name);
        mem_free(s->items[s->count].data);
    }
}

void tensor_set_release(struct tensor_set *s)
{
    tensor_set_cut(s, 0);
    mem_free(s->items);
    *s = (struct tensor_set){0};
}

enum status tensor_set_load(struct tensor_set *s, const char *path)
{
    *s = (struct tensor_set){0};
    const enum status status = tensor_set_load_safetensors(s, path);
    if (status != STATUS_OK)
        tensor_set_release(s);
    return status;
}
