/*
 * gzip_file.c - reads files by zlib's gzread, which hands out plain files as they are.
 */
#include "format/gzip_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

enum { BUFFER_BYTES = 1 << 17, PIECE_MAX = 1 << 30 };

enum status gzip_file_open(struct gzip_file *f, const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);

    *f = (struct gzip_file){0};
    if (descriptor < 0)
        return FAIL(STATUS_IO, "%s: cannot open: %s", path, strerror(errno));
    f->stream = gzdopen(descriptor, "rb");
    if (f->stream == NULL) {
        close(descriptor);
        return FAIL(STATUS_IO, "%s: cannot open: no memory", path);
    }
    (void)gzbuffer(f->stream, BUFFER_BYTES);
    f->path = mem_text(path);
    return STATUS_OK;
}

void gzip_file_close(struct gzip_file *f)
{
    if (f->stream != NULL)
        (void)gzclose(f->stream);
    mem_free(f->path);
    *f = (struct gzip_file){0};
}

enum status gzip_file_read(struct gzip_file *f, void *out, size_t bytes, size_t *got)
{
    const unsigned piece = bytes < PIECE_MAX ? (unsigned)bytes : PIECE_MAX;
    const int count = gzread(f->stream, out, piece);
    int code = Z_OK;

    *got = count > 0 ? (size_t)count : 0;
    if (count > 0 || bytes == 0)
        return STATUS_OK;

    const int error = errno;
    const char *why = gzerror(f->stream, &code);

    if (code == Z_OK || code == Z_STREAM_END)
        return STATUS_OK;
    if (code == Z_BUF_ERROR)
        return FAIL(STATUS_IO, "%s: ends in the middle of its gzip data", f->path);
    if (code == Z_ERRNO)
        return FAIL(STATUS_IO, "%s: cannot read: %s", f->path, strerror(error));
    return FAIL(STATUS_IO, "%s: damaged gzip data (%s)", f->path, why);
}

static enum status add_content(struct gzip_file *f, struct sha256_stream *hash)
{
    uint8_t *buffer = MEM_NEW_N(uint8_t, BUFFER_BYTES);
    size_t got = 0;
    enum status s;

    do {
        s = gzip_file_read(f, buffer, BUFFER_BYTES, &got);
        sha256_add(hash, buffer, got);
    } while (s == STATUS_OK && got > 0);
    mem_free(buffer);
    return s;
}

enum status gzip_file_digest(const char *path, int64_t *bytes, uint8_t digest[SHA256_BYTES])
{
    struct sha256_stream hash;
    struct gzip_file f;

    sha256_begin(&hash);
    TRY(gzip_file_open(&f, path));
    const enum status s = add_content(&f, &hash);
    gzip_file_close(&f);
    *bytes = (int64_t)hash.bytes;
    sha256_end(&hash, digest);
    return s;
}
