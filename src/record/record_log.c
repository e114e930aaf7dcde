/*
 * record_log.c - see record_log.h.
 */
#include "record/record_log.h"

#include <string.h>

#include "base/check.h"
#include "base/crc.h"
#include "base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie");

enum { MAGIC_BYTES = 8, CRC_BYTES = sizeof(uint32_t) };

static void set_crc(char *data, size_t bytes)
{
    const uint32_t crc = crc32c(0, data, bytes);

    memcpy(data + bytes, &crc, CRC_BYTES);
}

static bool has_crc(const char *data, size_t bytes)
{
    const uint32_t crc = crc32c(0, data, bytes);

    return memcmp(data + bytes, &crc, CRC_BYTES) == 0;
}

static size_t body_bytes(const struct record_format *format, int64_t record_bytes)
{
    return (size_t)record_bytes - CRC_BYTES - format->zeros;
}

/* --- the header as bytes --- */

struct header_bytes {
    char *data; /* mem_free */
    size_t count;
};

static struct header_bytes make_header(const struct record_header *h, int64_t more_bytes)
{
    const struct record_format *format = h->format;
    const size_t more = (size_t)more_bytes, checked = format->fixed_bytes + more;
    const struct header_bytes b = {.data = mem_alloc(1, checked + CRC_BYTES),
                                   .count = checked + CRC_BYTES};

    memcpy(b.data, h->fixed, format->fixed_bytes);
    memcpy(b.data, format->magic, MAGIC_BYTES);
    memcpy(b.data + MAGIC_BYTES, &format->version, sizeof format->version);
    if (more > 0)
        memcpy(b.data + format->fixed_bytes, h->more, more);
    set_crc(b.data, checked);
    return b;
}

static enum status write_header(const char *path, const struct header_bytes *header)
{
    struct file_writer w;

    TRY(file_writer_open(&w, path));
    return file_writer_close(&w, file_writer_put(&w, header->data, header->count));
}

static bool has_header(const char *path, const struct header_bytes *header)
{
    char *found = mem_alloc(1, header->count);
    const bool is_same = file_size(path) >= (int64_t)header->count &&
                         file_read_part(path, 0, found, header->count) == STATUS_OK &&
                         memcmp(found, header->data, header->count) == 0;

    mem_free(found);
    return is_same;
}

/* --- writing --- */

static int64_t count_records(const char *path, int64_t header_bytes, int64_t record_bytes)
{
    return (file_size(path) - header_bytes) / record_bytes;
}

static enum status cut_records(struct record_log *l, const char *path, int64_t header_bytes,
                               record_keeps *keeps, void *context)
{
    struct record_reader f = {
        .format = l->format,
        .path = mem_text(path),
        .header_bytes = header_bytes,
        .record_bytes = l->record_bytes,
        .count = count_records(path, header_bytes, l->record_bytes),
    };
    enum status s = STATUS_OK;

    while (l->kept < f.count && (s = record_reader_read(&f, l->kept, l->record)) == STATUS_OK &&
           keeps(context, l->record))
        l->kept++;
    if (s == STATUS_OK || s == STATUS_BAD_INPUT) /* not if the file could not be read */
        s = file_cut(path, header_bytes + l->kept * l->record_bytes);
    record_reader_release(&f);
    return s;
}

/* keeps NULL: no record stays. */
static enum status open_log(struct record_log *l, const char *path, const struct record_header *h,
                            record_keeps *keeps, void *context)
{
    struct record_sizes sizes = {0};

    CHECK(h->format->sizes(h->fixed, &sizes));
    const struct header_bytes header = make_header(h, sizes.more);
    *l = (struct record_log){
        .file = {.descriptor = -1},
        .format = h->format,
        .record_bytes = sizes.record,
        .record = mem_alloc(1, (size_t)sizes.record),
    };
    enum status s = keeps != NULL && has_header(path, &header)
                        ? cut_records(l, path, (int64_t)header.count, keeps, context)
                        : write_header(path, &header);
    if (s == STATUS_OK)
        s = file_log_open(&l->file, path);
    mem_free(header.data);
    if (s != STATUS_OK)
        record_log_close(l);
    return s;
}

enum status record_log_create(struct record_log *l, const char *path, const struct record_header *h)
{
    return open_log(l, path, h, NULL, NULL);
}

enum status record_log_resume(struct record_log *l, const char *path, const struct record_header *h,
                              record_keeps *keeps, void *context)
{
    CHECK(keeps != NULL);
    return open_log(l, path, h, keeps, context);
}

static bool is_until_round(void *keep_round, const void *record)
{
    int64_t round = 0;

    memcpy(&round, record, sizeof round);
    return round <= *(const int64_t *)keep_round;
}

enum status record_log_open_rounds(struct record_log *l, const char *path,
                                   const struct record_header *h, int64_t keep_round)
{
    return open_log(l, path, h, keep_round < 0 ? NULL : is_until_round, &keep_round);
}

enum status record_log_add(struct record_log *l, void *record)
{
    const size_t body = body_bytes(l->format, l->record_bytes);

    set_crc(record, body);
    memset((char *)record + body + CRC_BYTES, 0, l->format->zeros);
    return file_log_bytes(&l->file, record, (size_t)l->record_bytes);
}

void record_log_close(struct record_log *l)
{
    if (l->file.path != NULL)
        file_log_close(&l->file);
    mem_free(l->record);
    *l = (struct record_log){.file = {.descriptor = -1}};
}

/* --- reading --- */

static enum status header_is_damaged(const struct record_reader *f)
{
    return FAIL(STATUS_BAD_INPUT, "%s: the header is damaged", f->path);
}

static enum status read_fixed(const struct record_reader *f, void *fixed)
{
    const struct record_format *format = f->format;
    const int64_t bytes = file_size(f->path);
    uint32_t version = 0;

    if (bytes < 0)
        return FAIL(STATUS_BAD_INPUT, "%s: missing; %s", f->path, format->missing);
    if (bytes < (int64_t)(format->fixed_bytes + CRC_BYTES))
        return header_is_damaged(f);
    TRY(file_read_part(f->path, 0, fixed, format->fixed_bytes));
    if (memcmp(fixed, format->magic, MAGIC_BYTES) != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: is not a file of %s", f->path, format->content);
    memcpy(&version, (const char *)fixed + MAGIC_BYTES, sizeof version);
    if (version != format->version)
        return FAIL(STATUS_BAD_INPUT, "%s: has version %u; this program reads version %u", f->path,
                    (unsigned)version, (unsigned)format->version);
    return STATUS_OK;
}

/* The header is as long as `sizes` says, so that a damaged one does not need much memory. */
static enum status read_more(struct record_reader *f, const void *fixed, int64_t more)
{
    const size_t fixed_bytes = f->format->fixed_bytes, rest = (size_t)more + CRC_BYTES;
    uint32_t crc = crc32c(0, fixed, fixed_bytes);

    f->more = mem_alloc(1, rest);
    TRY(file_read_part(f->path, (int64_t)fixed_bytes, f->more, rest));
    crc = crc32c(crc, f->more, (size_t)more);
    if (memcmp(f->more + more, &crc, CRC_BYTES) != 0)
        return header_is_damaged(f);
    return STATUS_OK;
}

static enum status read_header(struct record_reader *f, void *fixed)
{
    struct record_sizes sizes = {0};

    TRY(read_fixed(f, fixed));
    if (!f->format->sizes(fixed, &sizes))
        return header_is_damaged(f);
    f->header_bytes = (int64_t)(f->format->fixed_bytes + CRC_BYTES) + sizes.more;
    f->record_bytes = sizes.record;
    if (file_size(f->path) < f->header_bytes)
        return header_is_damaged(f);
    f->count = count_records(f->path, f->header_bytes, f->record_bytes);
    return read_more(f, fixed, sizes.more);
}

enum status record_reader_open(struct record_reader *f, const char *path,
                               const struct record_format *format, void *fixed)
{
    *f = (struct record_reader){.format = format, .path = mem_text(path)};
    const enum status s = read_header(f, fixed);

    if (s != STATUS_OK)
        record_reader_release(f);
    return s;
}

void record_reader_release(struct record_reader *f)
{
    mem_free(f->path);
    mem_free(f->more);
    *f = (struct record_reader){0};
}

enum status record_reader_read(const struct record_reader *f, int64_t i, void *record)
{
    const int64_t begin = f->header_bytes + i * f->record_bytes;

    TRY(file_read_part(f->path, begin, record, (size_t)f->record_bytes));
    if (!has_crc(record, body_bytes(f->format, f->record_bytes)))
        return FAIL(STATUS_BAD_INPUT, "%s: %s %lld is damaged (wrong checksum), from byte %lld",
                    f->path, f->format->record, (long long)i, (long long)begin);
    return STATUS_OK;
}
