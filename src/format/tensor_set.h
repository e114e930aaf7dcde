/*
 * tensor_set.h - named tensors as files of weights hold them: safetensors, .pt of PyTorch and .npz
 * of NumPy.
 *
 * In memory, values are float or int64_t, in C order. Files may have other types: F16, BF16 and F64
 * become float, other whole numbers int64_t.
 */
#ifndef FORMAT_TENSOR_SET_H
#define FORMAT_TENSOR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/file_array.h"
#include "format/zip_read.h"

enum { TENSOR_SET_RANK_MAX = FILE_ARRAY_RANK_MAX };

struct named_tensor {
    char *name;
    bool is_whole; /* int64_t, else float */
    int rank;
    int64_t dims[TENSOR_SET_RANK_MAX];
    int64_t count; /* the product of dims */
    void *data;    /* [count] */
};

/* Zeroed it is empty. Names are unique. */
struct tensor_set {
    int64_t count;
    struct named_tensor *items; /* in the order of the file */
};

/* A tensor of zeros; its data is to be filled in. */
struct named_tensor *tensor_set_add(struct tensor_set *s, const char *name, bool is_whole, int rank,
                                    const int64_t *dims);
const struct named_tensor *tensor_set_find(const struct tensor_set *s, const char *name);

/* Removes the tensors from `first` on. */
void tensor_set_cut(struct tensor_set *s, int64_t first);
void tensor_set_release(struct tensor_set *s);

/* A format of files; `name` is also the end of their names. */
struct tensor_format {
    const char *name;
    const char *beginning; /* the first bytes of such a file; NULL: they vary */
    enum status (*save)(const struct tensor_set *s, const char *path); /* write, fsync, rename */
};

/* safetensors, pt, npz; ends with a name of NULL. */
extern const struct tensor_format tensor_formats[];

/* Reads a file of any of the formats, which its first bytes tell. */
enum status tensor_set_load(struct tensor_set *s, const char *path);

/* --- private to tensor_set_*.c --- */

/* A tensor with the values of an array. `path` is for messages. */
enum status tensor_set_add_array(struct tensor_set *s, const char *path, const char *name,
                                 const struct file_array *a);

enum status tensor_set_save_safetensors(const struct tensor_set *s, const char *path);
enum status tensor_set_save_pt(const struct tensor_set *s, const char *path);
enum status tensor_set_save_npz(const struct tensor_set *s, const char *path);
enum status tensor_set_load_npz(struct tensor_set *s, const struct zip_reader *z, const char *path);
enum status tensor_set_load_safetensors(struct tensor_set *s, const char *path);

/* Bytes of the values. */
size_t named_tensor_bytes(const struct named_tensor *t);

#endif
