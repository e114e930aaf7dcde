/*
 * zip_read.c - see zip_read.h. The format is that of APPNOTE.TXT of PKWARE.
 */
#include "format/zip_read.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/zlib_memory.h"

enum {
    END_BYTES = 22,
    COMMENT_MAX = 65535,
    LOCATOR_BYTES = 20,
    END64_BYTES = 56,
    CENTRAL_BYTES = 46,
    LOCAL_BYTES = 30,
    EXTRA_ZIP64 = 1,
    FLAG_ENCRYPTED = 1,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    RAW_DEFLATE = -15
};

#define END_SIGNATURE     0x06054b50U
#define LOCATOR_SIGNATURE 0x07064b50U
#define END64_SIGNATURE   0x06064b50U
#define CENTRAL_SIGNATURE 0x02014b50U
#define LOCAL_SIGNATURE   0x04034b50U

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Whether a range is inside of the first `limit` bytes. */
static bool is_within(uint64_t offset, uint64_t bytes, uint64_t limit)
{
    return offset <= limit && bytes <= limit - offset;
}

static enum status fail_at(const struct zip_reader *z, uint64_t offset, const char *what)
{
    return FAIL(STATUS_BAD_INPUT, "%s: offset %llu: %s", z->name, (unsigned long long)offset, what);
}

/* --- the directory --- */

/* The record at the end of the file, before a comment; 0: there is none. */
static uint64_t find_end(const struct zip_reader *z)
{
    for (uint64_t comment = 0; comment <= COMMENT_MAX && END_BYTES + comment <= z->bytes;
         comment++) {
        const uint64_t at = z->bytes - END_BYTES - comment;

        if (get(z->file + at, 4) == END_SIGNATURE && get(z->file + at + 20, 2) == comment)
            return at + 1;
    }
    return 0;
}

/* Where the directory is and how many members it has. */
struct directory {
    uint64_t count, bytes, offset;
};

/* The record of zip64, which is before the one at `end`. */
static enum status read_end64(const struct zip_reader *z, uint64_t end, struct directory *d)
{
    const uint8_t *locator = z->file + end - LOCATOR_BYTES;
    const uint64_t at = get(locator + 8, 8);

    if (!is_within(at, END64_BYTES, end - LOCATOR_BYTES) || get(z->file + at, 4) != END64_SIGNATURE)
        return fail_at(z, end - LOCATOR_BYTES, "the zip64 record is not where it should be");
    *d = (struct directory){.count = get(z->file + at + 32, 8),
                            .bytes = get(z->file + at + 40, 8),
                            .offset = get(z->file + at + 48, 8)};
    return STATUS_OK;
}

static enum status find_directory(const struct zip_reader *z, struct directory *d)
{
    const uint64_t found = find_end(z);

    if (found == 0)
        return FAIL(STATUS_BAD_INPUT, "%s: is not a zip file, or is truncated", z->name);

    const uint64_t end = found - 1;
    const uint8_t *at = z->file + end;

    *d = (struct directory){
        .count = get(at + 10, 2), .bytes = get(at + 12, 4), .offset = get(at + 16, 4)};
    if (end >= LOCATOR_BYTES && get(at - LOCATOR_BYTES, 4) == LOCATOR_SIGNATURE)
        TRY(read_end64(z, end, d));
    if (!is_within(d->offset, d->bytes, end))
        return fail_at(z, end, "the directory of the zip file is not inside of it");
    if (d->count > d->bytes / CENTRAL_BYTES)
        return fail_at(z, end, "the directory of the zip file is too small for its members");
    return STATUS_OK;
}

/* Values of 64 bits, in this order, for those that are 2^32 - 1 in the record. */
static bool read_zip64(struct zip_member *m, const uint8_t *extra, uint64_t length)
{
    uint64_t *const values[] = {&m->bytes, &m->packed_bytes, &m->offset};

    for (int i = 0; i < 3; i++) {
        if (*values[i] != UINT32_MAX)
            continue;
        if (length < 8)
            return false;
        *values[i] = get(extra, 8);
        extra += 8;
        length -= 8;
    }
    return true;
}

/* Extra fields: kind, length, data. */
static bool read_extra(struct zip_member *m, const uint8_t *extra, uint64_t length)
{
    while (length >= 4) {
        const uint64_t field = get(extra + 2, 2);

        if (field > length - 4)
            return false;
        if (get(extra, 2) == EXTRA_ZIP64)
            return read_zip64(m, extra + 4, field);
        extra += 4 + field;
        length -= 4 + field;
    }
    return true;
}

static bool has_control(const uint8_t *name, uint64_t length)
{
    for (uint64_t i = 0; i < length; i++) {
        if (name[i] < ' ' || name[i] == 0x7f)
            return true;
    }
    return false;
}

/* The member at *at of the directory, which ends at `end`; afterwards *at is after it. */
static enum status read_member(struct zip_reader *z, uint64_t *at, uint64_t end)
{
    const uint8_t *r = z->file + *at;

    if (!is_within(*at, CENTRAL_BYTES, end) || get(r, 4) != CENTRAL_SIGNATURE)
        return fail_at(z, *at, "the directory of the zip file is damaged");

    const uint64_t name = get(r + 28, 2), extra = get(r + 30, 2), comment = get(r + 32, 2);
    const uint64_t length = CENTRAL_BYTES + name + extra + comment;

    if (!is_within(*at, length, end) || has_control(r + CENTRAL_BYTES, name))
        return fail_at(z, *at, "the directory of the zip file is damaged");
    if ((get(r + 8, 2) & FLAG_ENCRYPTED) != 0)
        return fail_at(z, *at, "the member is encrypted, which is not supported");

    struct zip_member *m = &z->members[z->count];

    *m = (struct zip_member){
        .bytes = get(r + 24, 4),
        .packed_bytes = get(r + 20, 4),
        .offset = get(r + 42, 4),
        .crc = (uint32_t)get(r + 16, 4),
        .method = (uint16_t)get(r + 10, 2),
    };
    if (!read_extra(m, r + CENTRAL_BYTES + name, extra))
        return fail_at(z, *at, "the sizes of the member are damaged");
    m->name = mem_text_n((const char *)r + CENTRAL_BYTES, name);
    z->count++;
    *at += length;
    return STATUS_OK;
}

static enum status read_directory(struct zip_reader *z)
{
    struct directory d = {0};

    TRY(find_directory(z, &d));
    z->directory = d.offset;
    z->members = MEM_NEW_N(struct zip_member, (int64_t)d.count);

    uint64_t at = d.offset;

    for (uint64_t i = 0; i < d.count; i++)
        TRY(read_member(z, &at, d.offset + d.bytes));
    if (at != d.offset + d.bytes)
        return fail_at(z, at, "the directory of the zip file is larger than its members");
    return STATUS_OK;
}

enum status zip_reader_open(struct zip_reader *z, const char *name, const void *file, size_t bytes)
{
    *z = (struct zip_reader){.name = mem_text(name), .file = file, .bytes = bytes};

    const enum status s = read_directory(z);

    if (s != STATUS_OK)
        zip_reader_close(z);
    return s;
}

void zip_reader_close(struct zip_reader *z)
{
    for (int64_t i = 0; i < z->count; i++)
        mem_free(z->members[i].name);
    mem_free(z->members);
    mem_free(z->name);
    *z = (struct zip_reader){0};
}

const struct zip_member *zip_reader_find(const struct zip_reader *z, const char *name)
{
    for (int64_t i = z->count - 1; i >= 0; i--) {
        if (strcmp(z->members[i].name, name) == 0)
            return &z->members[i];
    }
    return NULL;
}

/* --- members --- */

/* Where the data of a member begins: after its own header, which repeats the name. */
static enum status find_data(const struct zip_reader *z, const struct zip_member *m,
                             uint64_t *begin)
{
    const uint64_t length = strlen(m->name);

    if (!is_within(m->offset, LOCAL_BYTES, z->directory) ||
        get(z->file + m->offset, 4) != LOCAL_SIGNATURE)
        return fail_at(z, m->offset, "the header of a member is not where it should be");

    const uint8_t *r = z->file + m->offset;

    *begin = m->offset + LOCAL_BYTES + get(r + 26, 2) + get(r + 28, 2);
    if (get(r + 26, 2) != length || !is_within(*begin, m->packed_bytes, z->directory))
        return fail_at(z, m->offset, "a member is not inside of the zip file");
    if (memcmp(r + LOCAL_BYTES, m->name, length) != 0)
        return fail_at(z, m->offset, "a member has another name than in the directory");
    return STATUS_OK;
}

static enum status fail_member(const struct zip_reader *z, const struct zip_member *m,
                               const char *what)
{
    return FAIL(STATUS_BAD_INPUT, "%s: %s: %s", z->name, m->name, what);
}

/* zlib counts in 32 bits. */
static uInt part_of(uint64_t bytes)
{
    const uint64_t most = 1 << 30;

    return (uInt)(bytes < most ? bytes : most);
}

static int inflate_all(z_stream *stream, const struct zip_member *m)
{
    uint64_t in = m->packed_bytes, out = m->bytes;
    int code = Z_OK;

    while (code == Z_OK) {
        const uInt in_part = part_of(in), out_part = part_of(out);

        stream->avail_in = in_part;
        stream->avail_out = out_part;
        code = inflate(stream, Z_NO_FLUSH);
        in -= in_part - stream->avail_in;
        out -= out_part - stream->avail_out;
    }
    return code == Z_STREAM_END && in == 0 && out == 0 ? Z_OK : Z_DATA_ERROR;
}

static enum status inflate_member(const struct zip_reader *z, const struct zip_member *m,
                                  const uint8_t *packed, uint8_t *out)
{
    z_stream stream = {.next_in = packed, .next_out = out};

    zlib_memory_use(&stream);
    CHECK(inflateInit2(&stream, RAW_DEFLATE) == Z_OK);

    const int code = inflate_all(&stream, m);

    inflateEnd(&stream);
    return code == Z_OK ? STATUS_OK : fail_member(z, m, "the deflated data is damaged");
}

static enum status read_content(const struct zip_reader *z, const struct zip_member *m,
                                struct zip_content *c)
{
    uint64_t begin = 0;

    TRY(find_data(z, m, &begin));
    if (m->method == METHOD_STORED && m->bytes != m->packed_bytes)
        return fail_member(z, m, "a stored member has two different sizes");
    if (m->method == METHOD_DEFLATED && m->bytes / ZLIB_RATIO_MAX > m->packed_bytes)
        return fail_member(z, m, "the deflated data is too small for its size");
    if (m->method != METHOD_STORED && m->method != METHOD_DEFLATED)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: %s: has compression method %d; it must be stored or deflated", z->name,
                    m->name, m->method);
    c->data = z->file + begin;
    c->bytes = m->bytes;
    if (m->method == METHOD_DEFLATED) {
        c->copy = MEM_NEW_N(uint8_t, (int64_t)m->bytes);
        c->data = c->copy;
        TRY(inflate_member(z, m, z->file + begin, c->copy));
    }
    if ((uint32_t)crc32_z(crc32(0, NULL, 0), c->data, c->bytes) != m->crc)
        return fail_member(z, m, "the checksum is wrong: the member is damaged");
    return STATUS_OK;
}

enum status zip_reader_get(const struct zip_reader *z, const struct zip_member *m,
                           struct zip_content *c)
{
    *c = (struct zip_content){0};

    const enum status s = read_content(z, m, c);

    if (s != STATUS_OK)
        zip_content_release(c);
    return s;
}

void zip_content_release(struct zip_content *c)
{
    mem_free(c->copy);
    *c = (struct zip_content){0};
}
