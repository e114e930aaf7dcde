/*
 * safetensors.c - reads safetensors files (see safetensors.h).
 *
 * Nothing in a file is trusted before it is checked: lengths against the size of the file, every
 * name, type, shape and offset of the header, and the checksums if there are any.
 *
 * Here: reading. Not here: writing (safetensors_write.c), what the tensors mean.
 */
#include "format/safetensors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/crc.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/safetensors_format.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensors are read as they lie");

enum { LENGTH_BYTES = 8, HEADER_MAX = 100 * 1000 * 1000 };
static const size_t file_limit = (size_t)1 << 40;

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [SAFETENSORS_F32] = {"F32",  4},
      [SAFETENSORS_F64] = {"F64",  8},
    [SAFETENSORS_I64] = {"I64",  8},
      [SAFETENSORS_F16] = {"F16",  2},
    [SAFETENSORS_BF16] = {"BF16", 2},
};

size_t safetensors_type_size(enum safetensors_type type)
{
    return types[type].size;
}

const char *safetensors_type_name(enum safetensors_type type)
{
    return types[type].name;
}

/* --- checksums --- */

void safetensors_crc_digits(char digits[SAFETENSORS_CRC_DIGITS + 1], uint32_t crc)
{
    (void)snprintf(digits, SAFETENSORS_CRC_DIGITS + 1, "%08x", (unsigned)crc);
}

/* Inside a JSON string every quote has a backslash, so this can only be found as key and value. */
int64_t safetensors_header_crc_place(const char *header, size_t length)
{
    static const char key[] = "\"" SAFETENSORS_HEADER_CRC_KEY "\"";
    const char *const end = header + length;
    const char *at = memmem(header, length, key, sizeof key - 1);

    if (at == NULL)
        return -1;
    at += sizeof key - 1;
    while (at < end && (*at == ' ' || *at == ':'))
        at++;
    if (end - at <= SAFETENSORS_CRC_DIGITS || *at != '"')
        return -1;
    return at + 1 - header;
}

uint32_t safetensors_header_crc(const char *header, size_t length, int64_t place)
{
    const size_t after = (size_t)place + SAFETENSORS_CRC_DIGITS;
    uint32_t crc = crc32c(0, header, (size_t)place);

    crc = crc32c(crc, SAFETENSORS_CRC_ZEROS, SAFETENSORS_CRC_DIGITS);
    return crc32c(crc, header + after, length - after);
}

/* --- the header --- */

/* One file while it is read. */
struct reader {
    struct safetensors *s;
    const char *header; /* [header_length], in the buffer */
    size_t header_length;
    const char *data; /* [data_length], in the buffer */
    int64_t data_length;
};

/* A tensor of the header with its place in the data. */
struct placed {
    struct safetensors_item item;
    int64_t begin, end;
};

static enum status find_parts(struct reader *r, size_t size)
{
    const unsigned char *bytes = r->s->buffer;
    uint64_t length = 0;

    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        length = length << 8 | bytes[i];
    if (length > HEADER_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: offset 0: a header of %llu bytes is above the limit of %d; is this a "
                    "safetensors file?",
                    r->s->path, (unsigned long long)length, HEADER_MAX);
    if (length > size - LENGTH_BYTES)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: offset 8: a header of %llu bytes goes past the end of the file, which has "
                    "%llu bytes; the file is truncated or not a safetensors file",
                    r->s->path, (unsigned long long)length, (unsigned long long)size);
    r->header = (const char *)r->s->buffer + LENGTH_BYTES;
    r->header_length = (size_t)length;
    r->data = r->header + length;
    r->data_length = (int64_t)(size - LENGTH_BYTES - (size_t)length);
    return STATUS_OK;
}

static enum status read_texts(struct safetensors *s, json_t *metadata)
{
    const char *key;
    json_t *value;

    if (!json_is_object(metadata))
        return FAIL(STATUS_BAD_INPUT, "%s: " SAFETENSORS_METADATA " of the header is not a map",
                    s->path);
    s->keys = MEM_NEW_N(char *, (int64_t)json_object_size(metadata));
    s->values = MEM_NEW_N(char *, (int64_t)json_object_size(metadata));
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value))
            return FAIL(STATUS_BAD_INPUT,
                        "%s: \"%s\" in " SAFETENSORS_METADATA " of the header is not a text",
                        s->path, key);
        s->keys[s->text_count] = mem_text(key);
        s->values[s->text_count++] = mem_text(json_string_value(value));
    }
    return STATUS_OK;
}

static enum status read_type(const char *path, const json_t *info, struct safetensors_item *item)
{
    const char *name = json_string_value(json_object_get(info, "dtype"));

    if (name == NULL)
        return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": has no dtype", path, item->name);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(name, types[i].name) == 0) {
            item->type = (enum safetensors_type)i;
            return STATUS_OK;
        }
    }
    return FAIL(STATUS_BAD_INPUT,
                "%s: tensor \"%s\": dtype \"%s\" is not supported; F16, BF16, F32, F64 and "
                "I64 are",
                path, item->name, name);
}

static enum status read_shape(const char *path, const json_t *info, struct safetensors_item *item)
{
    const json_t *shape = json_object_get(info, "shape");
    const size_t rank = json_array_size(shape);

    if (!json_is_array(shape))
        return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": has no shape", path, item->name);
    if (rank > SAFETENSORS_RANK_MAX)
        return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": has %llu dimensions; at most %d are read",
                    path, item->name, (unsigned long long)rank, SAFETENSORS_RANK_MAX);
    item->rank = (int)rank;
    item->count = 1;
    for (size_t i = 0; i < rank; i++) {
        const json_t *dim = json_array_get(shape, i);

        if (!json_is_integer(dim) || json_integer_value(dim) < 0)
            return FAIL(STATUS_BAD_INPUT,
                        "%s: tensor \"%s\": dimension %llu of its shape is not a whole number of 0 "
                        "or more",
                        path, item->name, (unsigned long long)i);
        item->dims[i] = json_integer_value(dim);
        if (__builtin_mul_overflow(item->count, item->dims[i], &item->count))
            return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": its shape has too many values", path,
                        item->name);
    }
    return STATUS_OK;
}

static enum status read_offsets(const struct reader *r, const json_t *info, struct placed *p)
{
    const json_t *offsets = json_object_get(info, "data_offsets");
    const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
    const char *path = r->s->path, *name = p->item.name;
    int64_t bytes = (int64_t)types[p->item.type].size;

    if (json_array_size(offsets) != 2 || !json_is_integer(begin) || !json_is_integer(end))
        return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": data_offsets are not two whole numbers",
                    path, name);
    p->begin = json_integer_value(begin);
    p->end = json_integer_value(end);
    if (p->begin < 0 || p->end < p->begin || p->end > r->data_length)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: tensor \"%s\": data_offsets [%lld, %lld] are not within the %lld bytes of "
                    "data in the file, which may be truncated",
                    path, name, (long long)p->begin, (long long)p->end, (long long)r->data_length);
    if (__builtin_mul_overflow(bytes, p->item.count, &bytes) || bytes != p->end - p->begin)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: tensor \"%s\": data_offsets [%lld, %lld] do not fit %lld values of %s",
                    path, name, (long long)p->begin, (long long)p->end, (long long)p->item.count,
                    types[p->item.type].name);
    return STATUS_OK;
}

static enum status read_tensor(const struct reader *r, const json_t *info, struct placed *p)
{
    if (!json_is_object(info) || json_object_size(info) != 3)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: tensor \"%s\": its entry in the header is not a map of dtype, shape and "
                    "data_offsets",
                    r->s->path, p->item.name);
    TRY(read_type(r->s->path, info, &p->item));
    TRY(read_shape(r->s->path, info, &p->item));
    return read_offsets(r, info, p);
}

/* Fills s->items in the order of the header: its count says how many names are owned. */
static enum status read_entries(const struct reader *r, json_t *root, struct placed *placed)
{
    const char *key;
    json_t *value;

    json_object_foreach(root, key, value)
    {
        if (strcmp(key, SAFETENSORS_METADATA) == 0) {
            TRY(read_texts(r->s, value));
            continue;
        }
        struct placed *p = &placed[r->s->count];

        p->item.name = mem_text(key);
        r->s->items[r->s->count++].name = p->item.name;
        TRY(read_tensor(r, value, p));
    }
    return STATUS_OK;
}

/* --- the data --- */

static int place_order(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;

    if (p->begin != q->begin)
        return p->begin < q->begin ? -1 : 1;
    return (p->end > q->end) - (p->end < q->end);
}

static enum status check_gaps(const struct reader *r, const struct placed *placed)
{
    int64_t expected = 0;

    for (int i = 0; i < r->s->count; i++) {
        if (placed[i].begin != expected)
            return FAIL(STATUS_BAD_INPUT,
                        "%s: tensor \"%s\": its data begins at %lld, but that of the tensor before "
                        "it ends at %lld",
                        r->s->path, placed[i].item.name, (long long)placed[i].begin,
                        (long long)expected);
        expected = placed[i].end;
    }
    if (expected != r->data_length)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: offset %lld: %lld bytes after the last tensor belong to none", r->s->path,
                    (long long)(LENGTH_BYTES + (int64_t)r->header_length + expected),
                    (long long)(r->data_length - expected));
    return STATUS_OK;
}

/* Older writers do not pad the header, and an odd number of floats may stand before a double. */
static void point_to_data(const struct reader *r, struct safetensors_item *item, int64_t begin)
{
    const char *place = r->data + begin;
    const size_t size = types[item->type].size;

    item->data = place;
    if ((uintptr_t)place % size != 0) {
        item->copy = mem_alloc(item->count, size);
        memcpy(item->copy, place, (size_t)item->count * size);
        item->data = item->copy;
    }
}

static enum status check_crc(const struct reader *r, const char *key, uint32_t crc)
{
    const char *said = safetensors_text(r->s, key);
    char digits[SAFETENSORS_CRC_DIGITS + 1];

    safetensors_crc_digits(digits, crc);
    if (said != NULL && strcmp(said, digits) != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: damaged: %s is %s, but the header says \"%s\"",
                    r->s->path, key, digits, said);
    return STATUS_OK;
}

bool safetensors_is_own(const struct safetensors *s)
{
    const char *format = safetensors_text(s, SAFETENSORS_FORMAT_KEY);

    return format != NULL && strncmp(format, "muster", strlen("muster")) == 0;
}

static enum status check_contents(const struct reader *r)
{
    const char *format = safetensors_text(r->s, SAFETENSORS_FORMAT_KEY);
    const bool is_ours = safetensors_is_own(r->s);
    const bool has_both = safetensors_text(r->s, SAFETENSORS_CRC_KEY) != NULL &&
                          safetensors_text(r->s, SAFETENSORS_HEADER_CRC_KEY) != NULL;
    const int64_t place = safetensors_header_crc_place(r->header, r->header_length);

    if (is_ours && strcmp(format, SAFETENSORS_FORMAT) != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: its format is \"%s\"; this program reads \"%s\"",
                    r->s->path, format, SAFETENSORS_FORMAT);
    if (is_ours && !has_both)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: damaged: its format is \"%s\", but a checksum is missing", r->s->path,
                    format);
    if (is_ours && place < 0)
        return FAIL(STATUS_BAD_INPUT, "%s: damaged: the checksum of its header is not a checksum",
                    r->s->path);
    if (place >= 0)
        TRY(check_crc(r, SAFETENSORS_HEADER_CRC_KEY,
                      safetensors_header_crc(r->header, r->header_length, place)));
    return check_crc(r, SAFETENSORS_CRC_KEY, crc32c(0, r->data, (size_t)r->data_length));
}

/* --- the whole --- */

static enum status read_items(struct reader *r, json_t *root)
{
    const int64_t entries = (int64_t)json_object_size(root);
    struct placed *placed = MEM_NEW_N(struct placed, entries);
    enum status status;

    r->s->items = MEM_NEW_N(struct safetensors_item, entries);
    status = read_entries(r, root, placed);
    if (status == STATUS_OK) {
        qsort(placed, (size_t)r->s->count, sizeof *placed, place_order);
        status = check_gaps(r, placed);
    }
    for (int i = 0; status == STATUS_OK && i < r->s->count; i++) {
        r->s->items[i] = placed[i].item;
        point_to_data(r, &r->s->items[i], placed[i].begin);
    }
    mem_free(placed);
    return status;
}

static enum status read_header(struct reader *r)
{
    json_error_t error;
    json_t *root = json_loadb(r->header, r->header_length, JSON_REJECT_DUPLICATES, &error);
    enum status status;

    if (root == NULL)
        status = FAIL(STATUS_BAD_INPUT, "%s: offset %d: the header is not JSON: %s", r->s->path,
                      LENGTH_BYTES + error.position, error.text);
    else if (!json_is_object(root))
        status = FAIL(STATUS_BAD_INPUT, "%s: offset 8: the header is not a map", r->s->path);
    else
        status = read_items(r, root);
    json_decref(root);
    return status;
}

static enum status load_checked(struct safetensors *s)
{
    struct reader r = {.s = s};
    struct text file = {0};

    TRY(file_read(s->path, file_limit, &file));
    const size_t size = file.length;
    s->buffer = text_take(&file);
    if (size < LENGTH_BYTES)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: has %llu bytes; a safetensors file begins with %d for the length of its "
                    "header",
                    s->path, (unsigned long long)size, LENGTH_BYTES);
    TRY(find_parts(&r, size));
    TRY(read_header(&r));
    return check_contents(&r);
}

enum status safetensors_load(struct safetensors *s, const char *path)
{
    enum status status;

    *s = (struct safetensors){.path = mem_text(path)};
    status = load_checked(s);
    if (status != STATUS_OK)
        safetensors_release(s);
    return status;
}

void safetensors_release(struct safetensors *s)
{
    for (int i = 0; i < s->count; i++) {
        mem_free(s->items[i].name);
        mem_free(s->items[i].copy);
    }
    for (int i = 0; i < s->text_count; i++) {
        mem_free(s->keys[i]);
        mem_free(s->values[i]);
    }
    mem_free(s->items);
    mem_free(s->keys);
    mem_free(s->values);
    mem_free(s->buffer);
    mem_free(s->path);
    *s = (struct safetensors){0};
}

const struct safetensors_item *safetensors_find(const struct safetensors *s, const char *name)
{
    for (int i = 0; i < s->count; i++) {
        if (strcmp(s->items[i].name, name) == 0)
            return &s->items[i];
    }
    return NULL;
}

const char *safetensors_text(const struct safetensors *s, const char *key)
{
    for (int i = 0; i < s->text_count; i++) {
        if (strcmp(s->keys[i], key) == 0)
            return s->values[i];
    }
    return NULL;
}

enum status safetensors_get(const struct safetensors *s, const char *name,
                            enum safetensors_type type, int64_t count, const void **data)
{
    const struct safetensors_item *item = safetensors_find(s, name);

    if (item == NULL)
        return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": is missing", s->path, name);
    if (item->type != type)
        return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": is %s, not %s", s->path, name,
                    types[item->type].name, types[type].name);
    if (item->count != count)
        return FAIL(STATUS_BAD_INPUT, "%s: tensor \"%s\": has %lld values, not %lld", s->path, name,
                    (long long)item->count, (long long)count);
    *data = item->data;
    return STATUS_OK;
}
