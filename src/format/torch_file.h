/*
 * torch_file.h - writes a file as torch.save would: a zip file with a pickle, whose tensors are
 * views of storages.
 *
 * The pickle is of protocol 2 and uses only what torch.load(weights_only=True) allows: dicts,
 * lists, texts, whole numbers and tensors. A file has one value, which is usually a dict:
 *
 *     torch_file_begin_dict(&f); torch_file_text(&f, "key"); <its value>; torch_file_end_dict(&f);
 */
#ifndef FORMAT_TORCH_FILE_H
#define FORMAT_TORCH_FILE_H

#include "base/text.h"
#include "format/zip.h"

enum torch_type { TORCH_F32, TORCH_F64, TORCH_I64, TORCH_BOOL };

struct torch_file {
    struct zip zip;
    struct text pickle; /* is written at the end */
    int storages;       /* so far */
};

/* Values in the file, of which tensors are views. */
struct torch_storage {
    enum torch_type type;
    int64_t count;
    int number;
};

enum { TORCH_RANK_MAX = 8 };

enum status torch_file_open(struct torch_file *f, const char *path);

/* Puts the file in its place when `body` is STATUS_OK; else removes it. */
enum status torch_file_close(struct torch_file *f, enum status body);

/* Keys and values by turns, and items. */
void torch_file_begin_dict(struct torch_file *f);
void torch_file_end_dict(struct torch_file *f);
void torch_file_begin_list(struct torch_file *f);
void torch_file_end_list(struct torch_file *f);

void torch_file_text(struct torch_file *f, const char *text);
void torch_file_int(struct torch_file *f, int64_t value);

/* Writes values, little-endian: data [count] of the type. */
enum status torch_file_storage(struct torch_file *f, enum torch_type type, int64_t count,
                               const void *data, struct torch_storage *s);

/* A tensor [dims[0]]...[dims[rank - 1]] that begins at this value of a storage; rank 0 is one
 * value. */
void torch_file_tensor(struct torch_file *f, const struct torch_storage *s, int64_t offset,
                       int rank, const int64_t *dims);

/* The same for each evaluation, or the like, whose tensors follow each other in a storage: a list.
 */
void torch_file_tensors(struct torch_file *f, const struct torch_storage *s, int64_t count,
                        int rank, const int64_t *dims);

#endif
