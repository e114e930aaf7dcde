/*
 * pt_write.h - the parts of a .pt file as torch.save writes it: a zip file with the pickle
 * archive/data.pkl, whose tensors are views of storages, archive/data/<number>.
 *
 * The pickle is of protocol 2 and uses only what torch.load(weights_only=True) allows. The caller
 * puts the objects into a text, from pt_begin to pt_end, and adds it to the zip file with
 * pt_add_pickle, before the storages.
 */
#ifndef FORMAT_PT_WRITE_H
#define FORMAT_PT_WRITE_H

#include "format/zip.h"

enum pt_type { PT_F32, PT_F64, PT_I64, PT_BOOL };

enum { PT_RANK_MAX = 8 };

/* A tensor: a view of a storage, without gaps. */
struct pt_view {
    int64_t storage; /* its number */
    enum pt_type type;
    int64_t storage_size, offset; /* in values */
    int rank;
    const int64_t *dims;
};

/* A dict: begin, a text and its value for each entry, end. */
void pt_begin(struct text *pickle);
void pt_end(struct text *pickle);
void pt_put_text(struct text *pickle, const char *text);
void pt_put_tensor(struct text *pickle, const struct pt_view *v);

/* A list of tensors: begin, pt_put_tensor for each, end. */
void pt_begin_list(struct text *pickle);
void pt_end_list(struct text *pickle);

enum status pt_add_pickle(struct zip *z, const struct text *pickle);
enum status pt_add_storage(struct zip *z, int64_t number, const void *data, size_t bytes);

/* What every file has after its storages. */
enum status pt_add_version(struct zip *z);

#endif
