/*
 * tensor_set_npz.c - a set as numpy.savez writes it: <name>.npy for each tensor.
 */
#include "base/mem.h"
#include "format/npy.h"
#include "format/tensor_set.h"
#include "format/zip.h"

_Static_assert((int)NPY_RANK_MAX >= (int)TENSOR_SET_RANK_MAX, "every tensor can be written");

static enum status add_tensor(struct zip *z, const struct named_tensor *t)
{
    char *name = text_format("%s.npy", t->name);
    struct text file = {0};

    npy_add(&file, t->is_whole ? NPY_I64 : NPY_F32, t->rank, t->dims, t->data);
    const enum status s = zip_add(z, name, file.data, file.length);
    text_release(&file);
    mem_free(name);
    return s;
}

static enum status add_all(struct zip *z, const struct tensor_set *s)
{
    for (int64_t i = 0; i < s->count; i++)
        TRY(add_tensor(z, &s->items[i]));
    return STATUS_OK;
}

enum status tensor_set_save_npz(const struct tensor_set *s, const char *path)
{
    struct zip z;

    TRY(zip_open(&z, path));
    return zip_close(&z, add_all(&z, s));
}
