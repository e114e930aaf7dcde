/*
 * tensor_set_pt.c - a set as torch.save writes a state dict: {name: tensor, ...}, each tensor with
 * a storage of its own.
 */
#include "format/tensor_set.h"
#include "format/torch_file.h"

_Static_assert((int)TORCH_RANK_MAX >= (int)TENSOR_SET_RANK_MAX, "every tensor can be written");

static enum status put_all(struct torch_file *f, const struct tensor_set *s)
{
    torch_file_begin_dict(f);
    for (int64_t i = 0; i < s->count; i++) {
        const struct named_tensor *t = &s->items[i];
        struct torch_storage storage;

        TRY(torch_file_storage(f, t->is_whole ? TORCH_I64 : TORCH_F32, t->count, t->data,
                               &storage));
        torch_file_text(f, t->name);
        torch_file_tensor(f, &storage, 0, t->rank, t->dims);
    }
    torch_file_end_dict(f);
    return STATUS_OK;
}

enum status tensor_set_save_pt(const struct tensor_set *s, const char *path)
{
    struct torch_file f;

    TRY(torch_file_open(&f, path));
    return torch_file_close(&f, put_all(&f, s));
}
