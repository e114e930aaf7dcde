/*
 * source.h - the bytes of a file that is read front to back, stored as they are or gzipped.
 *
 * The file is in memory; what it holds is handed out in exact amounts, and every failure names the
 * file and the offset in what it holds.
 */
#ifndef DATA_SOURCE_H
#define DATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define ZLIB_CONST /* zlib does not change its input */
#include <zlib.h>

#include "base/status.h"

enum { SOURCE_FILE_MAX = 2147483647 }; /* bytes; also fits zlib's counters */

struct source {
    const char *name;    /* borrowed, for messages */
    const uint8_t *data; /* borrowed: the file as it is stored */
    size_t length;
    int64_t offset; /* bytes handed out */
    bool is_gzip;
    z_stream stream;
};

void source_init(struct source *s, const char *name, const uint8_t *data, size_t length);
void source_release(struct source *s);

/* The most bytes that the file can hold: deflate shrinks to no less than 1 in 1032. */
int64_t source_most(const struct source *s);

/* Exactly `bytes`, or "FILE: ends at byte 1234 of TOTAL" with the total that the caller expects. */
enum status source_read(struct source *s, uint8_t *out, int64_t bytes, int64_t total);

/* That nothing follows, and that a gzipped file's checksum holds. */
enum status source_end(struct source *s);

#endif
