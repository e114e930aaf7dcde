/*
 * protobuf.c - see protobuf.h. A field is a key (number and wire type), then its value; lengths and
 * integers are varints: seven bits a byte, the lowest first.
 */
#include "format/protobuf.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static void add_byte(struct text *out, uint64_t byte)
{
    const char c = (char)(unsigned char)(byte & 0xff);

    text_add_n(out, &c, 1);
}

void protobuf_add_fixed(struct text *out, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++)
        add_byte(out, bits >> (8 * i));
}

static void add_varint(struct text *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        add_byte(out, value | 0x80);
    add_byte(out, value);
}

static void add_key(struct text *out, int field, enum wire wire)
{
    add_varint(out, (uint64_t)field << 3 | (uint64_t)wire);
}

static void add_bytes(struct text *out, int field, const char *bytes, size_t length)
{
    add_key(out, field, WIRE_BYTES);
    add_varint(out, length);
    text_add_n(out, bytes, length);
}

static uint64_t double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void protobuf_int(struct text *out, int field, int64_t value)
{
    add_key(out, field, WIRE_VARINT);
    add_varint(out, (uint64_t)value);
}

void protobuf_float(struct text *out, int field, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    add_key(out, field, WIRE_FIXED32);
    protobuf_add_fixed(out, bits, 4);
}

void protobuf_double(struct text *out, int field, double value)
{
    add_key(out, field, WIRE_FIXED64);
    protobuf_add_fixed(out, double_bits(value), 8);
}

void protobuf_doubles(struct text *out, int field, const double *values, int64_t count)
{
    add_key(out, field, WIRE_BYTES);
    add_varint(out, 8 * (uint64_t)count);
    for (int64_t i = 0; i < count; i++)
        protobuf_add_fixed(out, double_bits(values[i]), 8);
}

void protobuf_text(struct text *out, int field, const char *value)
{
    add_bytes(out, field, value, strlen(value));
}

void protobuf_message(struct text *out, int field, const struct text *message)
{
    add_bytes(out, field, text_get(message), message->length);
}
