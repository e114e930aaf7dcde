/*
 * zip.c - local headers, data, the central directory, and its end (PKWARE's APPNOTE, 4.3).
 */
#include "format/zip.h"

#include <string.h>
#include <zlib.h>

#include "base/check.h"
#include "base/mem.h"

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, EXTRA_BYTES = 4, ALIGNMENT = 64 };
enum { VERSION = 20, DATE_1980 = 0x21, EXTRA_PADDING = 0x4246 };

static const uint64_t limit = UINT32_MAX;

struct zip_entry {
    char *name;
    uint32_t offset, bytes, crc;
};

/* Little-endian numbers, one after the other. */
struct record {
    uint8_t bytes[CENTRAL_BYTES];
    size_t used;
};

static void put(struct record *r, int bytes, uint64_t value)
{
    CHECK(r->used + (size_t)bytes <= sizeof r->bytes);
    for (int i = 0; i < bytes; i++)
        r->bytes[r->used++] = (uint8_t)(value >> 8 * i);
}

static enum status fail_too_large(const struct zip *z)
{
    return FAIL(STATUS_IO, "%s: cannot be written: a zip file without zip64 has at most 4 GB",
                z->out.path);
}

static enum status write_bytes(struct zip *z, const void *data, size_t bytes)
{
    z->offset += bytes;
    if (z->offset > limit)
        return fail_too_large(z);
    return file_writer_put(&z->out, data, bytes);
}

static enum status write_record(struct zip *z, const struct record *r)
{
    return write_bytes(z, r->bytes, r->used);
}

enum status zip_open(struct zip *z, const char *path)
{
    *z = (struct zip){0};
    return file_writer_open(&z->out, path);
}

/* What local and central headers have in common. */
static void put_common(struct record *r, const struct zip_entry *e, size_t extra)
{
    put(r, 2, VERSION);
    put(r, 2, 0); /* flags */
    put(r, 2, 0); /* stored */
    put(r, 2, 0); /* time */
    put(r, 2, DATE_1980);
    put(r, 4, e->crc);
    put(r, 4, e->bytes);
    put(r, 4, e->bytes);
    put(r, 2, strlen(e->name));
    put(r, 2, extra);
}

/* An extra field whose content is as long as the alignment wants. */
static enum status write_padding(struct zip *z, size_t extra)
{
    static const uint8_t zeros[ALIGNMENT] = {0};
    struct record r = {.used = 0};

    put(&r, 2, EXTRA_PADDING);
    put(&r, 2, extra - EXTRA_BYTES);
    TRY(write_record(z, &r));
    return write_bytes(z, zeros, extra - EXTRA_BYTES);
}

static enum status write_entry(struct zip *z, const struct zip_entry *e, const void *data)
{
    const uint64_t fixed = z->offset + LOCAL_BYTES + strlen(e->name) + EXTRA_BYTES;
    const size_t extra = EXTRA_BYTES + (size_t)(ALIGNMENT - fixed % ALIGNMENT) % ALIGNMENT;
    struct record r = {.used = 0};

    put(&r, 4, 0x04034b50);
    put_common(&r, e, extra);
    TRY(write_record(z, &r));
    TRY(write_bytes(z, e->name, strlen(e->name)));
    TRY(write_padding(z, extra));
    return write_bytes(z, data, e->bytes);
}

static uint32_t crc_of(const void *data, size_t bytes)
{
    return (uint32_t)crc32_z(crc32(0, NULL, 0), data, bytes);
}

enum status zip_add(struct zip *z, const char *name, const void *data, size_t bytes)
{
    if (z->offset + bytes > limit)
        return fail_too_large(z);
    if (z->count == z->capacity) {
        const int64_t capacity = 2 * z->capacity + 16;

        z->entries = mem_resize(z->entries, z->capacity, capacity, sizeof *z->entries);
        z->capacity = capacity;
    }
    struct zip_entry *e = &z->entries[z->count++];
    *e = (struct zip_entry){
        .name = mem_text(name),
        .offset = (uint32_t)z->offset,
        .bytes = (uint32_t)bytes,
        .crc = crc_of(data, bytes),
    };
    return write_entry(z, e, data);
}

static enum status write_central(struct zip *z, const struct zip_entry *e)
{
    struct record r = {.used = 0};

    put(&r, 4, 0x02014b50);
    put(&r, 2, VERSION); /* made by */
    put_common(&r, e, 0);
    put(&r, 2, 0); /* comment */
    put(&r, 2, 0); /* disk */
    put(&r, 2, 0); /* attributes */
    put(&r, 4, 0);
    put(&r, 4, e->offset);
    TRY(write_record(z, &r));
    return write_bytes(z, e->name, strlen(e->name));
}

static enum status write_directory(struct zip *z)
{
    const uint64_t begin = z->offset;
    struct record r = {.used = 0};

    CHECK(z->count <= UINT16_MAX);
    for (int64_t i = 0; i < z->count; i++)
        TRY(write_central(z, &z->entries[i]));
    put(&r, 4, 0x06054b50);
    put(&r, 4, 0); /* disks */
    put(&r, 2, (uint64_t)z->count);
    put(&r, 2, (uint64_t)z->count);
    put(&r, 4, z->offset - begin);
    put(&r, 4, begin);
    put(&r, 2, 0); /* comment */
    return write_record(z, &r);
}

enum status zip_close(struct zip *z, enum status body)
{
    const enum status s = body == STATUS_OK ? write_directory(z) : body;

    for (int64_t i = 0; i < z->count; i++)
        mem_free(z->entries[i].name);
    mem_free(z->entries);
    return file_writer_close(&z->out, s);
}
