/*
 * gzip_file.h - the content of a plain or gzipped file, read front to back in pieces.
 *
 * Not here: files that are in memory (data/byte_reader.h).
 */
#ifndef FORMAT_GZIP_FILE_H
#define FORMAT_GZIP_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "base/status.h"

struct gzip_file {
    char *path;
    void *stream; /* of zlib */
};

/* On failure nothing is open. */
enum status gzip_file_open(struct gzip_file *f, const char *path);
void gzip_file_close(struct gzip_file *f); /* may be called twice */

/* As many bytes as there are, at most `bytes`; 0 at the end. Damaged or cut-off gzip data fail. */
enum status gzip_file_read(struct gzip_file *f, void *out, size_t bytes, size_t *got);

/* The size and SHA-256 of what the file contains. */
enum status gzip_file_digest(const char *path, int64_t *bytes, uint8_t digest[SHA256_BYTES]);

#endif
