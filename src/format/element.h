/*
 * element.h - the types of numbers in files of NumPy and PyTorch, and how to read one of them from
 * any place in memory, aligned or not.
 */
#ifndef FORMAT_ELEMENT_H
#define FORMAT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* kind, NumPy's name without the byte order, bytes; bfloat16 has no name in NumPy */
#define ELEMENT_LIST(X)      \
    X(ELEMENT_BOOL, "b1", 1) \
    X(ELEMENT_U8, "u1", 1)   \
    X(ELEMENT_U16, "u2", 2)  \
    X(ELEMENT_U32, "u4", 4)  \
    X(ELEMENT_U64, "u8", 8)  \
    X(ELEMENT_I8, "i1", 1)   \
    X(ELEMENT_I16, "i2", 2)  \
    X(ELEMENT_I32, "i4", 4)  \
    X(ELEMENT_I64, "i8", 8)  \
    X(ELEMENT_F16, "f2", 2)  \
    X(ELEMENT_F32, "f4", 4)  \
    X(ELEMENT_F64, "f8", 8)  \
    X(ELEMENT_BF16, "bf16", 2)

#define ELEMENT_ENUM(kind, name, bytes) kind,
enum element_kind { ELEMENT_LIST(ELEMENT_ENUM) ELEMENT_KIND_COUNT };
#undef ELEMENT_ENUM

struct element_type {
    enum element_kind kind;
    bool is_big_endian;
};

size_t element_size(enum element_kind kind);      /* bytes */
const char *element_name(enum element_kind kind); /* "u1", "f4" */
bool element_is_float(enum element_kind kind);

/* NumPy's name, "<f4", "|u1", "f8"; false for another type. No byte order is this machine's. */
bool element_parse(const char *name, size_t length, struct element_type *type);

/* The byte order of NumPy, '<', '>', '=' or '|'; false for another letter. */
bool element_set_order(struct element_type *type, char order);

/* The number at `at`. Integers beyond 2^53 are rounded. */
double element_to_double(struct element_type type, const uint8_t *at);

/* false: it is not a whole number from -2^63 to 2^63 - 1. */
bool element_to_int(struct element_type type, const uint8_t *at, int64_t *value);

#endif
