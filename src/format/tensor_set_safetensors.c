/*
 * tensor_set_safetensors.c - between a set and a safetensors file.
 */
#include <string.h>

#include "format/half.h"
#include "format/safetensors.h"
#include "format/tensor_set.h"

_Static_assert((int)SAFETENSORS_RANK_MAX == (int)TENSOR_SET_RANK_MAX, "tensors of all ranks fit");

enum status tensor_set_save_safetensors(const struct tensor_set *s, const char *path)
{
    struct safetensors_writer *w = safetensors_writer_new();

    for (int64_t i = 0; i < s->count; i++) {
        const struct named_tensor *t = &s->items[i];

        safetensors_writer_tensor(w, t->name, t->is_whole ? SAFETENSORS_I64 : SAFETENSORS_F32,
                                  t->rank, t->dims, t->data);
    }
    const enum status status = safetensors_writer_save(w, path);
    safetensors_writer_free(w);
    return status;
}

/* Into float or int64_t; item->data is aligned for its type. */
static void convert(const struct safetensors_item *item, struct named_tensor *t)
{
    const uint16_t *halves = item->data;
    const double *doubles = item->data;
    float *values = t->data;

    switch (item->type) {
    case SAFETENSORS_F32:
    case SAFETENSORS_I64:
        if (t->count > 0)
            memcpy(t->data, item->data, named_tensor_bytes(t));
        break;
    case SAFETENSORS_F64:
        for (int64_t i = 0; i < t->count; i++)
            values[i] = (float)doubles[i];
        break;
    case SAFETENSORS_F16:
        for (int64_t i = 0; i < t->count; i++)
            values[i] = half_from_f16(halves[i]);
        break;
    case SAFETENSORS_BF16:
        for (int64_t i = 0; i < t->count; i++)
            values[i] = half_from_bf16(halves[i]);
        break;
    }
}

enum status tensor_set_load_safetensors(struct tensor_set *s, const char *path)
{
    struct safetensors file;

    TRY(safetensors_load(&file, path));
    for (int i = 0; i < file.count; i++) {
        const struct safetensors_item *item = &file.items[i];

        convert(item, tensor_set_add(s, item->name, item->type == SAFETENSORS_I64, item->rank,
                                     item->dims));
    }
    safetensors_release(&file);
    return STATUS_OK;
}
