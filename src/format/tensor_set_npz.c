/*
 * tensor_set_npz.c - between a set and a file as numpy.savez writes it: <name>.npy for each tensor.
 */
#include <string.h>

#include "base/mem.h"
#include "format/npy.h"
#include "format/npz.h"
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

/* --- reading --- */

static enum status read_array(struct tensor_set *s, const struct zip_reader *z, const char *name,
                              const char *path)
{
    struct npz_array a;

    TRY(npz_get(z, name, &a));
    const enum status status = tensor_set_add_array(s, path, name, &a.array);
    npz_array_release(&a);
    return status;
}

enum status tensor_set_load_npz(struct tensor_set *s, const struct zip_reader *z, const char *path)
{
    static const char end[] = ".npy";

    for (int64_t i = 0; i < z->count; i++) {
        const char *member = z->members[i].name;
        const size_t length = strlen(member);

        if (length < sizeof end || strcmp(member + length - (sizeof end - 1), end) != 0)
            continue;
        char *name = mem_text_n(member, length - (sizeof end - 1));
        const enum status status = read_array(s, z, name, path);
        mem_free(name);
        TRY(status);
    }
    return s->count > 0 ? STATUS_OK
                        : FAIL(STATUS_BAD_INPUT,
                               "%s: is a zip file, but neither a .pt file of PyTorch nor an .npz "
                               "file of NumPy",
                               path);
}
