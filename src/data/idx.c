/*
 * idx.c - reading idx files; sizes are judged against the file's length before anything is
 * allocated, so that a damaged header cannot ask for the machine's memory.
 */
#include "data/idx.h"

#include <string.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/byte_reader.h"

enum { WORD = 4 };

static int64_t header_bytes(int rank)
{
    return WORD + WORD * (int64_t)rank;
}

static uint32_t big_endian(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

static enum status check_magic(const char *name, uint32_t magic, int rank)
{
    const uint32_t right = 0x00000800U + (uint32_t)rank;

    if (magic == right)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "%s: byte 0: magic number 0x%08x; idx %s have 0x%08x", name,
                magic, rank == IDX_LABELS ? "labels" : "images", right);
}

static enum status check_size(const char *name, int dimension, int64_t size)
{
    const char *const names[IDX_RANK_MAX] = {"count", "height", "width"};
    const int64_t most = dimension == 0 ? UINT32_MAX : IDX_SIDE_MAX;

    if (size >= 1 && size <= most)
        return STATUS_OK;
    return FAIL(STATUS_BAD_INPUT, "%s: byte %d: %s %lld is outside 1..%lld", name,
                WORD + WORD * dimension, names[dimension], (long long)size, (long long)most);
}

static enum status read_header(struct byte_reader *in, int rank, struct idx *out)
{
    uint8_t raw[WORD + WORD * IDX_RANK_MAX];

    TRY(byte_reader_read(in, raw, WORD, header_bytes(rank)));
    TRY(check_magic(in->name, big_endian(raw), rank));
    TRY(byte_reader_read(in, raw + WORD, header_bytes(rank) - WORD, header_bytes(rank)));
    for (int k = 0; k < IDX_RANK_MAX; k++) {
        out->size[k] = k < rank ? big_endian(&raw[WORD + WORD * k]) : 1;
        TRY(check_size(in->name, k, out->size[k]));
    }
    return STATUS_OK;
}

/* A header that asks for more than the file can hold: cut off, or damaged. */
static enum status too_short(const struct byte_reader *in, int64_t total)
{
    if (in->is_gzip)
        return FAIL(
            STATUS_IO,
            "%s: ends at byte %lld, which cannot hold the %lld bytes that its header claims",
            in->name, (long long)in->length, (long long)total);
    return FAIL(STATUS_IO, "%s: ends at byte %lld of %lld", in->name, (long long)in->length,
                (long long)total);
}

static enum status read_body(struct byte_reader *in, int rank, bool sizes_only, struct idx *out)
{
    const int64_t bytes = out->size[0] * out->size[1] * out->size[2];
    const int64_t total = header_bytes(rank) + bytes;

    if (total > byte_reader_most(in))
        return too_short(in, total);
    if (sizes_only)
        return STATUS_OK;
    out->bytes = MEM_NEW_N(uint8_t, bytes);
    TRY(byte_reader_read(in, out->bytes, bytes, total));
    return byte_reader_end(in);
}

static enum status parse_file(const struct idx_file *file, int rank, bool sizes_only,
                              struct idx *out)
{
    struct byte_reader in;
    enum status s;

    CHECK(rank == IDX_LABELS || rank == IDX_IMAGES);
    *out = (struct idx){0};
    byte_reader_init(&in, file->name, file->data, file->length);
    s = read_header(&in, rank, out);
    if (s == STATUS_OK)
        s = read_body(&in, rank, sizes_only, out);
    byte_reader_release(&in);
    if (s != STATUS_OK)
        idx_release(out);
    return s;
}

enum status idx_parse(const struct idx_file *file, int rank, struct idx *out)
{
    return parse_file(file, rank, false, out);
}

static enum status load_file(const char *path, int rank, bool sizes_only, struct idx *out)
{
    struct text content = {0};
    enum status s = file_read(path, BYTE_READER_FILE_MAX, &content);

    *out = (struct idx){0};
    if (s == STATUS_OK)
        s = parse_file(
            &(struct idx_file){
                .name = path,
                .data = (const uint8_t *)text_get(&content),
                .length = content.length,
            },
            rank, sizes_only, out);
    text_release(&content);
    return s;
}

enum status idx_load(const char *path, int rank, struct idx *out)
{
    return load_file(path, rank, false, out);
}

enum status idx_load_sizes(const char *path, int rank, struct idx *out)
{
    return load_file(path, rank, true, out);
}

void idx_release(struct idx *x)
{
    mem_free(x->bytes);
    *x = (struct idx){0};
}

int64_t idx_offset(const struct idx *x, int rank, int64_t i)
{
    return header_bytes(rank) + i * x->size[1] * x->size[2];
}

char *idx_find(const char *folder, const char *name)
{
    for (int spelling = 0; spelling < 4; spelling++) {
        char *path = text_format("%s/%s%s", folder, name, spelling % 2 == 0 ? "" : ".gz");
        char *dash = strstr(path + strlen(folder), "-idx");

        if (spelling >= 2 && dash != NULL)
            *dash = '.';
        if (file_exists(path))
            return path;
        mem_free(path);
    }
    return NULL;
}
