/*
 * sha256.h - SHA-256 (FIPS 180-4), and bytes as hexadecimal digits and as base64 (RFC 4648).
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/text.h"

enum { SHA256_BYTES = 32 };

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES]);

/* The same of bytes that come in pieces. */
struct sha256_stream {
    uint32_t hash[8];
    uint8_t rest[64]; /* the bytes after the last whole block */
    uint64_t bytes;
};
void sha256_begin(struct sha256_stream *s);
void sha256_add(struct sha256_stream *s, const void *data, size_t bytes);
void sha256_end(const struct sha256_stream *s, uint8_t digest[SHA256_BYTES]);

/* Two lower-case digits for each byte. */
void text_add_hex(struct text *out, const void *data, size_t bytes);

/* With padding, on one line. */
void text_add_base64(struct text *out, const void *data, size_t bytes);

#endif
