/*
 * byte_reader.h - the bytes of a file that is read front to back, stored as they are or gzipped.
 *
 * The file is in memory; what it holds is handed out in exact amounts, and every failure names the
 * file and the offset in what it holds.
 */
#ifndef DATA_BYTE_READER_H
#define DATA_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/zlib_memory.h"

enum { BYTE_READER_FILE_MAX = 2147483647 }; /* bytes; also fits zlib's counters */

struct byte_reader {
    const char *name;    /* borrowed, for messages */
    const uint8_t *data; /* borrowed: the file as it is stored */
    size_t length;
    int64_t offset; /* bytes handed out */
    bool is_gzip;
    z_stream stream;
};

void byte_reader_init(struct byte_reader *s, const char *name, const uint8_t *data, size_t length);
void byte_reader_release(struct byte_reader *s);

/* The most bytes that the file can hold: deflate shrinks to no less than 1 in 1032. */
int64_t byte_reader_most(const struct byte_reader *s);

/* Exactly `bytes`, or "FILE: ends at byte 1234 of TOTAL" with the total that the caller expects. */
enum status byte_reader_read(struct byte_reader *s, uint8_t *out, int64_t bytes, int64_t total);

/* That nothing follows, and that a gzipped file's checksum holds. */
enum status byte_reader_end(struct byte_reader *s);

#endif
