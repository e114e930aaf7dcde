/*
 * pickle.h - reads Python's pickles as data: protocols 0 to 5, as Python 2 and 3, NumPy 1 and 2 and
 * torch.save write them.
 *
 * A pickle is a program for a small machine, which may call any function of Python. This reader
 * runs none: it knows the few functions that make arrays, tensors, bytes and ordered dicts
 * (pickle_names.h) and rejects all others by name, with the file and the offset.
 *
 * Bytes that are in the file as they are stay there: values point into the memory that the caller
 * gave, which must outlive the pickle. So a mapped file (base/file_map.h) is not read before its
 * values are. Bytes that are written as text are decoded, and marked as owned.
 *
 * A value that was written once and used twice is one value with two places. Values that contain
 * themselves are rejected, and so are pickles that nest too deeply or become much larger than their
 * file.
 */
#ifndef FORMAT_PICKLE_H
#define FORMAT_PICKLE_H

#include "base/status.h"
#include "format/file_array.h"

/* kind, what messages call it */
#define PICKLE_KIND_LIST(X)                                               \
    X(PICKLE_NONE, "None")                                                \
    X(PICKLE_BOOL, "a boolean")                                           \
    X(PICKLE_INT, "an integer")                                           \
    X(PICKLE_LONG, "an integer of more than 64 bits")                     \
    X(PICKLE_FLOAT, "a float")                                            \
    X(PICKLE_BYTES, "bytes") /* also bytearray, and str of Python 2 */    \
    X(PICKLE_TEXT, "text")                                                \
    X(PICKLE_LIST, "a list")                                              \
    X(PICKLE_TUPLE, "a tuple") /* also torch.Size */                      \
    X(PICKLE_DICT, "a dict")   /* also OrderedDict, without attributes */ \
    X(PICKLE_ARRAY, "an array")                                           \
    X(PICKLE_TENSOR, "a tensor")                                          \
    X(PICKLE_STORAGE, "a storage")                                        \
    X(PICKLE_DTYPE, "a dtype")                                            \
    X(PICKLE_NAME, "a function or class") /* while reading only */

#define PICKLE_KIND_ENUM(kind, text) kind,
enum pickle_kind { PICKLE_KIND_LIST(PICKLE_KIND_ENUM) PICKLE_KIND_COUNT };
#undef PICKLE_KIND_ENUM

enum { PICKLE_DEPTH_MAX = 100 };

struct pickle_bytes {
    const uint8_t *data; /* without a NUL after the last byte */
    size_t bytes;
};

/* What a PyTorch file has outside of the pickle: its data is the entry data/KEY of the zip file. */
struct pickle_storage {
    struct element_type type;
    struct pickle_bytes key;
    int64_t count; /* of elements */
};

/* Part of a storage; element (i, j) is at offset + i steps[0] + j steps[1], inside the storage. */
struct pickle_tensor {
    const struct pickle_storage *storage;
    int64_t offset;
    int rank;
    int64_t dims[FILE_ARRAY_RANK_MAX], steps[FILE_ARRAY_RANK_MAX];
};

struct pickle_value {
    enum pickle_kind kind;
    bool is_owned;    /* bytes, text, array: its bytes are not those of the file */
    uint8_t height;   /* of what is below it, for the reader */
    size_t offset;    /* in the file: of the opcode that began it */
    int64_t expanded; /* values below it, for the reader */
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct pickle_bytes bytes; /* bytes, text (UTF-8), long (little-endian two's complement) */
        struct {
            struct pickle_value **items; /* of a dict: key, value, key, value, ... */
            int64_t count, capacity;     /* of items */
        } list;                          /* list, tuple, dict */
        struct file_array *array;
        struct pickle_tensor *tensor;
        struct pickle_storage *storage;
        struct element_type type; /* dtype */
        int name;                 /* enum pickle_name */
    };
};

struct pickle_chunk;

struct pickle {
    char *name;
    const uint8_t *file; /* borrowed */
    size_t bytes;
    const struct pickle_value *root;
    size_t end;                  /* in the file: where another pickle may follow */
    struct pickle_chunk *chunks; /* the memory of all values */
    size_t used;                 /* bytes of it */
};

/* The memory of a file, and the name for messages. */
struct pickle_source {
    const char *name;
    const void *file;
    size_t bytes;
    size_t begin; /* of the pickle in the file: 0, or the end of the one before it */
};

/* Reads one pickle. Fails with a message that begins with the name; then p is empty. */
enum status pickle_decode(struct pickle *p, const struct pickle_source *source);
void pickle_release(struct pickle *p);

/* --- asking --- */

const char *pickle_kind_name(enum pickle_kind kind);

/* Whether a value is this text, as text or as bytes (str of Python 2). */
bool pickle_is_text(const struct pickle_value *v, const char *text);

/* The value of the last such key of a dict; NULL: none. */
const struct pickle_value *pickle_find(const struct pickle_value *dict, const char *key);

/* The same of the root; that it is missing or of another kind is an error. */
enum status pickle_get(const struct pickle *p, const char *key, enum pickle_kind kind,
                       const struct pickle_value **value);

/* The elements of a list, a tuple or an array; -1: it is something else. */
int64_t pickle_count(const struct pickle_value *v);

/* These elements as integers, out [pickle_count]. */
enum status pickle_to_ints(const struct pickle *p, const struct pickle_value *v, int64_t *out);

/* Where in the file these bytes are; -1: they are owned. */
int64_t pickle_place(const struct pickle *p, const uint8_t *data);

#endif
