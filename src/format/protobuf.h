/*
 * protobuf.h - writing fields of protobuf messages into a text. A message inside another one is
 * written to a text of its own first.
 */
#ifndef FORMAT_PROTOBUF_H
#define FORMAT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* `bytes` bytes of an integer, the lowest first, without a field number. */
void protobuf_add_fixed(struct text *out, uint64_t bits, int bytes);

void protobuf_int(struct text *out, int field, int64_t value); /* also enums and booleans */
void protobuf_float(struct text *out, int field, float value);
void protobuf_double(struct text *out, int field, double value);
void protobuf_doubles(struct text *out, int field, const double *values, int64_t count);
void protobuf_text(struct text *out, int field, const char *value);
void protobuf_message(struct text *out, int field, const struct text *message); /* or bytes */

#endif
