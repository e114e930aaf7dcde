/*
 * safetensors.h - safetensors files: tensors with names, and texts.
 *
 * u64 length of a JSON header, the header (padded with spaces to 8 bytes), then the data,
 * little-endian, without gaps. __metadata__ holds strings; files written here always have "format"
 * ("muster 1"), "crc32c" of the data and "header_crc32c" of the header (computed with its own
 * digits as zeros), so that every changed byte is detected. Files of other programs need none of
 * the three. Equal contents are equal files.
 */
#ifndef FORMAT_SAFETENSORS_H
#define FORMAT_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum safetensors_type {
    SAFETENSORS_F32,
    SAFETENSORS_F64,
    SAFETENSORS_I64,
    SAFETENSORS_F16,
    SAFETENSORS_BF16,
};

enum { SAFETENSORS_RANK_MAX = 8 };

/* --- writing: collect borrowed pointers, then write all at once (write, fsync, rename) --- */
struct safetensors_writer;
struct safetensors_writer *safetensors_writer_new(void);
void safetensors_writer_tensor(struct safetensors_writer *w, const char *name,
                               enum safetensors_type type, int rank, const int64_t *dims,
                               const void *data);                     /* data borrowed until save */
int64_t safetensors_writer_count(const struct safetensors_writer *w); /* tensors so far */
void safetensors_writer_text(struct safetensors_writer *w, const char *key, const char *value);
enum status safetensors_writer_save(struct safetensors_writer *w, const char *path);
void safetensors_writer_free(struct safetensors_writer *w);

/* --- reading: the whole file, checked: every error names the file and the offset or the tensor ---
 */
struct safetensors_item {
    char *name;
    enum safetensors_type type;
    int rank;
    int64_t dims[SAFETENSORS_RANK_MAX];
    int64_t count;
    const void *data; /* inside the file's buffer, or `copy`; aligned for its type */
    void *copy;       /* owned; NULL unless the place in the file is not aligned */
};

struct safetensors {
    char *path;
    int count;
    struct safetensors_item *items; /* in the order of their data */
    int text_count;
    char **keys, **values; /* __metadata__ */
    void *buffer;
};

enum status safetensors_load(struct safetensors *s, const char *path);
void safetensors_release(struct safetensors *s);
const struct safetensors_item *safetensors_find(const struct safetensors *s, const char *name);
const char *safetensors_text(const struct safetensors *s, const char *key); /* NULL: none */

/* Whether the file was written here, so that its checksums were there and right. */
bool safetensors_is_own(const struct safetensors *s);

size_t safetensors_type_size(enum safetensors_type type); /* bytes of a value */
const char *safetensors_type_name(enum safetensors_type type);

/* The tensor, or an error when it is missing or its type or count differs. */
enum status safetensors_get(const struct safetensors *s, const char *name,
                            enum safetensors_type type, int64_t count, const void **data);

#endif
