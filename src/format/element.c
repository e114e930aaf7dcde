/*
 * element.c - types of numbers in files.
 */
#include "format/element.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "native numbers are little-endian");

#define ELEMENT_ROW(kind, name, bytes) [kind] = {name, bytes},
static const struct {
    const char *name;
    size_t size;
} types[] = {ELEMENT_LIST(ELEMENT_ROW)};
#undef ELEMENT_ROW

size_t element_size(enum element_kind kind)
{
    return types[kind].size;
}

const char *element_name(enum element_kind kind)
{
    return types[kind].name;
}

bool element_is_float(enum element_kind kind)
{
    return kind >= ELEMENT_F16;
}

bool element_set_order(struct element_type *type, char order)
{
    type->is_big_endian = order == '>' && element_size(type->kind) > 1;
    return order == '<' || order == '>' || order == '=' || order == '|';
}

bool element_parse(const char *name, size_t length, struct element_type *type)
{
    const bool has_order = length > 0 && memchr("<>=|", name[0], 4) != NULL;
    const char *letters = name + has_order;

    length -= has_order;
    for (int kind = 0; kind < ELEMENT_BF16; kind++) {
        if (length != strlen(types[kind].name) || memcmp(letters, types[kind].name, length) != 0)
            continue;
        *type = (struct element_type){.kind = (enum element_kind)kind};
        return element_set_order(type, has_order ? name[0] : '=');
    }
    return false;
}

/* The bytes as an unsigned integer, the lowest first. */
static uint64_t load_bits(struct element_type type, const uint8_t *at)
{
    const size_t size = element_size(type.kind);
    uint64_t bits = 0;

    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)at[type.is_big_endian ? size - 1 - i : i] << (8 * i);
    return bits;
}

static double bits_to_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double bits_to_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* 1 bit of sign, 5 of exponent, 10 of fraction. */
static double half_to_double(uint32_t bits)
{
    const int exponent = (int)(bits >> 10 & 0x1f);
    const int fraction = (int)(bits & 0x3ff);
    double value;

    if (exponent == 0x1f)
        value = fraction == 0 ? (double)INFINITY : (double)NAN;
    else
        value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 != 0 ? -value : value;
}

/* Integers of any size, of which only one type exceeds int64_t. */
static int64_t bits_to_int(enum element_kind kind, uint64_t bits)
{
    const int unused = (int)(64 - 8 * element_size(kind));

    if (kind == ELEMENT_BOOL)
        return bits != 0;
    return kind <= ELEMENT_U64 ? (int64_t)bits : (int64_t)(bits << unused) >> unused;
}

double element_to_double(struct element_type type, const uint8_t *at)
{
    const uint64_t bits = load_bits(type, at);

    switch (type.kind) {
    case ELEMENT_U64:
        return (double)bits;
    case ELEMENT_BOOL:
    case ELEMENT_U8:
    case ELEMENT_U16:
    case ELEMENT_U32:
    case ELEMENT_I8:
    case ELEMENT_I16:
    case ELEMENT_I32:
    case ELEMENT_I64:
        return (double)bits_to_int(type.kind, bits);
    case ELEMENT_F16:
        return half_to_double((uint32_t)bits);
    case ELEMENT_F32:
        return bits_to_float((uint32_t)bits);
    case ELEMENT_F64:
        return bits_to_double(bits);
    case ELEMENT_BF16:
        return bits_to_float((uint32_t)bits << 16);
    case ELEMENT_KIND_COUNT:
        break;
    }
    BUG("type of element out of range");
}

bool element_to_int(struct element_type type, const uint8_t *at, int64_t *value)
{
    if (element_is_float(type.kind)) {
        const double number = element_to_double(type, at);

        if (!(number >= -0x1p63 && number < 0x1p63) || number != floor(number))
            return false;
        *value = (int64_t)number;
        return true;
    }

    const uint64_t bits = load_bits(type, at);

    *value = bits_to_int(type.kind, bits);
    return type.kind != ELEMENT_U64 || bits <= INT64_MAX;
}
