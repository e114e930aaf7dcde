/*
 * tensor_set_safetensors.c - between a set and a safetensors file.
 */
#include "base/check.h"
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

static const enum element_kind element_kinds[] = {
    [SAFETENSORS_F32] = ELEMENT_F32,   [SAFETENSORS_F64] = ELEMENT_F64,
    [SAFETENSORS_I64] = ELEMENT_I64,   [SAFETENSORS_F16] = ELEMENT_F16,
    [SAFETENSORS_BF16] = ELEMENT_BF16,
};

static enum status add_item(struct tensor_set *s, const char *path,
                            const struct safetensors_item *item)
{
    struct file_array a = {.type.kind = element_kinds[item->type], .rank = item->rank};

    for (int i = 0; i < item->rank; i++)
        a.dims[i] = item->dims[i];
    CHECK(file_array_set_data(&a, item->data,
                              (size_t)item->count * safetensors_type_size(item->type)));
    return tensor_set_add_array(s, path, item->name, &a);
}

enum status tensor_set_load_safetensors(struct tensor_set *s, const char *path)
{
    struct safetensors file;
    enum status status = STATUS_OK;

    TRY(safetensors_load(&file, path));
    for (int i = 0; i < file.count && status == STATUS_OK; i++)
        status = add_item(s, path, &file.items[i]);
    safetensors_release(&file);
    return status;
}
