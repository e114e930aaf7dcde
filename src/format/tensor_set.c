/*
 * tensor_set.c - the set in memory, and the list of formats.
 */
#include "format/tensor_set.h"

#include <string.h>

#include "base/check.h"
#include "base/file_map.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/safetensors_format.h"
#include "format/state_dict.h"

#define ZIP_BEGINNING    "PK\003\004"
#define PICKLE_BEGINNING "\x80"

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

/* What a file may have, but a set not: it could not be written again. */
static enum status check_name(const struct tensor_set *s, const char *path, const char *name)
{
    if (!text_is_utf8(name, strlen(name)) || name[0] == '\0')
        return FAIL(STATUS_BAD_INPUT, "%s: the name of tensor %lld is empty or not UTF-8", path,
                    (long long)s->count);
    if (strcmp(name, SAFETENSORS_METADATA) == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: %s cannot be the name of a tensor", path, name);
    return tensor_set_find(s, name) == NULL
               ? STATUS_OK
               : FAIL(STATUS_BAD_INPUT, "%s: has two tensors with the name %s", path, name);
}

enum status tensor_set_add_array(struct tensor_set *s, const char *path, const char *name,
                                 const struct file_array *a)
{
    TRY(check_name(s, path, name));
    struct named_tensor *t =
        tensor_set_add(s, name, !element_is_float(a->type.kind), a->rank, a->dims);

    if (t->is_whole)
        return file_array_to_ints(a, path, 0, a->count, t->data);
    file_array_to_floats(a, 0, a->count, t->data);
    return STATUS_OK;
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

static enum status load_zip(struct tensor_set *s, const struct file_map *file)
{
    struct zip_reader z;

    TRY(zip_reader_open(&z, file->path, file->data, file->bytes));
    const enum status status = state_dict_is_in(&z) ? state_dict_read(s, &z, file->path)
                                                    : tensor_set_load_npz(s, &z, file->path);
    zip_reader_close(&z);
    return status;
}

static bool begins_with(const struct file_map *file, const char *beginning)
{
    const size_t length = strlen(beginning);

    return file->bytes >= length && memcmp(file->data, beginning, length) == 0;
}

/* A safetensors file may begin with the same byte, but the length of its header has four zeros. */
static bool is_pickle(const struct file_map *file)
{
    static const char zeros[4] = {0};

    return begins_with(file, PICKLE_BEGINNING) &&
           (file->bytes < 8 || memcmp(file->data + 4, zeros, sizeof zeros) != 0);
}

static enum status load_mapped(struct tensor_set *s, const struct file_map *file)
{
    if (begins_with(file, ZIP_BEGINNING))
        return load_zip(s, file);
    if (is_pickle(file))
        return FAIL(STATUS_BAD_INPUT,
                    "%s: is a pickle without a zip file around it, as PyTorch before 1.6 wrote "
                    "it; load it with a newer PyTorch and save it again",
                    file->path);
    return tensor_set_load_safetensors(s, file->path);
}

enum status tensor_set_load(struct tensor_set *s, const char *path)
{
    struct file_map file;

    *s = (struct tensor_set){0};
    TRY(file_map_open(&file, path));
    const enum status status = load_mapped(s, &file);
    file_map_close(&file);
    if (status != STATUS_OK)
        tensor_set_release(s);
    return status;
}
