/*
 * sha256.h - SHA-256 (FIPS 180-4), and bytes as base64 (RFC 4648).
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/text.h"

enum { SHA256_BYTES = 32 };

void sha256(const void *data, size_t bytes, uint8_t digest[SHA256_BYTES]);

/* With padding, on one line. */
void text_add_base64(struct text *out, const void *data, size_t bytes);

#endif
