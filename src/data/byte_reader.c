/*
 * byte_reader.c - reads a plain or gzipped file that is in memory, in exact amounts.
 */
#include "data/byte_reader.h"

#include <string.h>

#include "base/check.h"

enum { GZIP_WINDOW = 15 + 16 };

void byte_reader_init(struct byte_reader *s, const char *name, const uint8_t *data, size_t length)
{
    CHECK(length <= BYTE_READER_FILE_MAX);
    *s = (struct byte_reader){
        .name = name,
        .data = data,
        .length = length,
        .is_gzip = length >= 2 && data[0] == 0x1f && data[1] == 0x8b,
    };
    if (!s->is_gzip)
        return;
    zlib_memory_use(&s->stream);
    CHECK(inflateInit2(&s->stream, GZIP_WINDOW) == Z_OK);
    s->stream.next_in = data;
    s->stream.avail_in = (uInt)length;
}

void byte_reader_release(struct byte_reader *s)
{
    if (s->is_gzip)
        inflateEnd(&s->stream);
    *s = (struct byte_reader){0};
}

int64_t byte_reader_most(const struct byte_reader *s)
{
    return (int64_t)s->length * (s->is_gzip ? ZLIB_RATIO_MAX : 1);
}

static int64_t read_plain(struct byte_reader *s, uint8_t *out, int64_t bytes)
{
    const int64_t left = (int64_t)s->length - s->offset;
    const int64_t got = bytes < left ? bytes : left;

    if (got > 0)
        memcpy(out, s->data + s->offset, (size_t)got);
    return got;
}

static enum status fail_damaged(const struct byte_reader *s)
{
    return FAIL(STATUS_IO, "%s: damaged gzip data at byte %lld of the file (%s)", s->name,
                (long long)s->stream.total_in,
                s->stream.msg != NULL ? s->stream.msg : "not a gzip stream");
}

/* Inflates until `bytes` are there or the input ends; fewer is for the caller to judge. */
static enum status read_gzip(struct byte_reader *s, uint8_t *out, int64_t bytes, int64_t *got)
{
    const int64_t step = 1 << 30; /* zlib counts in 32 bits */

    *got = 0;
    while (*got < bytes) {
        const int64_t part = bytes - *got < step ? bytes - *got : step;
        int code;

        s->stream.next_out = out + *got;
        s->stream.avail_out = (uInt)part;
        code = inflate(&s->stream, Z_NO_FLUSH);
        *got += part - (int64_t)s->stream.avail_out;
        if (code == Z_BUF_ERROR || code == Z_STREAM_END)
            return STATUS_OK;
        if (code != Z_OK)
            return fail_damaged(s);
    }
    return STATUS_OK;
}

enum status byte_reader_read(struct byte_reader *s, uint8_t *out, int64_t bytes, int64_t total)
{
    int64_t got = 0;

    if (s->is_gzip)
        TRY(read_gzip(s, out, bytes, &got));
    else
        got = read_plain(s, out, bytes);
    s->offset += got;
    if (got < bytes)
        return FAIL(STATUS_IO, "%s: ends at byte %lld of %lld", s->name, (long long)s->offset,
                    (long long)total);
    return STATUS_OK;
}

static enum status gzip_end(struct byte_reader *s)
{
    uint8_t extra;
    int code;

    s->stream.next_out = &extra;
    s->stream.avail_out = 1;
    code = inflate(&s->stream, Z_NO_FLUSH);
    if (s->stream.avail_out == 0)
        return FAIL(STATUS_IO, "%s: continues after byte %lld, where it should end", s->name,
                    (long long)s->offset);
    if (code == Z_BUF_ERROR)
        return FAIL(STATUS_IO, "%s: the gzip checksum is cut off at byte %lld of the file", s->name,
                    (long long)s->length);
    if (code != Z_STREAM_END)
        return fail_damaged(s);
    if (s->stream.avail_in > 0)
        return FAIL(STATUS_IO, "%s: %lld bytes follow the gzip stream that ends at byte %lld",
                    s->name, (long long)s->stream.avail_in, (long long)s->stream.total_in);
    return STATUS_OK;
}

enum status byte_reader_end(struct byte_reader *s)
{
    if (s->is_gzip)
        return gzip_end(s);
    if (s->offset < (int64_t)s->length)
        return FAIL(STATUS_IO, "%s: has %lld bytes, should end at byte %lld", s->name,
                    (long long)s->length, (long long)s->offset);
    return STATUS_OK;
}
