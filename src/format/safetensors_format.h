/*
 * safetensors_format.h - what the reader and the writer of safetensors files share: the names in
 * __metadata__ and the checksum of the header.
 *
 * Private to safetensors.c, safetensors_write.c and tensor_set.c.
 */
#ifndef FORMAT_SAFETENSORS_FORMAT_H
#define FORMAT_SAFETENSORS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define SAFETENSORS_METADATA       "__metadata__"
#define SAFETENSORS_FORMAT_KEY     "format"
#define SAFETENSORS_FORMAT         "muster 1"
#define SAFETENSORS_CRC_KEY        "crc32c"
#define SAFETENSORS_HEADER_CRC_KEY "header_crc32c"
#define SAFETENSORS_CRC_ZEROS      "00000000"

enum { SAFETENSORS_CRC_DIGITS = 8 };

/* Eight hexadecimal digits and a NUL. */
void safetensors_crc_digits(char digits[SAFETENSORS_CRC_DIGITS + 1], uint32_t crc);

/* Where the digits of the header's own checksum stand in the header; -1: it has none. */
int64_t safetensors_header_crc_place(const char *header, size_t length);

/* The checksum of the header with zeros for the digits at `place`. */
uint32_t safetensors_header_crc(const char *header, size_t length, int64_t place);

#endif
