/*
 * safetensors_write.c - writes safetensors files (see safetensors.h).
 *
 * The header is made in memory first: its offsets and its two checksums need all tensors. Tensors
 * and texts stand in the order of the calls.
 */
#include <string.h>

#include "base/check.h"
#include "base/crc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "format/safetensors.h"
#include "format/safetensors_format.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tensors are written as they lie");

struct written_tensor {
    char *name;
    enum safetensors_type type;
    int rank;
    int64_t dims[SAFETENSORS_RANK_MAX];
    int64_t bytes;
    const void *data; /* borrowed */
};

struct written_text {
    char *key, *value;
};

struct safetensors_writer {
    int64_t tensor_count, tensor_capacity, text_count, text_capacity;
    struct written_tensor *tensors;
    struct written_text *texts;
};

struct safetensors_writer *safetensors_writer_new(void)
{
    return MEM_NEW(struct safetensors_writer);
}

void safetensors_writer_free(struct safetensors_writer *w)
{
    if (w == NULL)
        return;
    for (int64_t i = 0; i < w->tensor_count; i++)
        mem_free(w->tensors[i].name);
    for (int64_t i = 0; i < w->text_count; i++) {
        mem_free(w->texts[i].key);
        mem_free(w->texts[i].value);
    }
    mem_free(w->tensors);
    mem_free(w->texts);
    mem_free(w);
}

/* Room for one more; answers the block, perhaps moved. */
static void *room_for_one(void *items, int64_t count, int64_t *capacity, size_t size)
{
    if (count == *capacity) {
        items = mem_resize(items, count, 2 * count + 16, size);
        *capacity = 2 * count + 16;
    }
    return items;
}

static int64_t checked_bytes(enum safetensors_type type, int rank, const int64_t *dims)
{
    int64_t bytes = (int64_t)safetensors_type_size(type);

    for (int i = 0; i < rank; i++) {
        CHECK(dims[i] >= 0);
        CHECK(!__builtin_mul_overflow(bytes, dims[i], &bytes));
    }
    return bytes;
}

void safetensors_writer_tensor(struct safetensors_writer *w, const char *name,
                               enum safetensors_type type, int rank, const int64_t *dims,
                               const void *data)
{
    struct written_tensor tensor = {.type = type, .rank = rank, .data = data};

    CHECK(rank >= 0 && rank <= SAFETENSORS_RANK_MAX);
    CHECK(strcmp(name, SAFETENSORS_METADATA) != 0);
    for (int64_t i = 0; i < w->tensor_count; i++)
        CHECK(strcmp(w->tensors[i].name, name) != 0);
    for (int i = 0; i < rank; i++)
        tensor.dims[i] = dims[i];
    tensor.bytes = checked_bytes(type, rank, dims);
    CHECK(data != NULL || tensor.bytes == 0);
    tensor.name = mem_text(name);
    w->tensors = room_for_one(w->tensors, w->tensor_count, &w->tensor_capacity, sizeof tensor);
    w->tensors[w->tensor_count++] = tensor;
}

int64_t safetensors_writer_count(const struct safetensors_writer *w)
{
    return w->tensor_count;
}

void safetensors_writer_text(struct safetensors_writer *w, const char *key, const char *value)
{
    const struct written_text text = {.key = mem_text(key), .value = mem_text(value)};

    CHECK(strcmp(key, SAFETENSORS_FORMAT_KEY) != 0);
    CHECK(strcmp(key, SAFETENSORS_CRC_KEY) != 0);
    CHECK(strcmp(key, SAFETENSORS_HEADER_CRC_KEY) != 0);
    for (int64_t i = 0; i < w->text_count; i++)
        CHECK(strcmp(w->texts[i].key, key) != 0);
    w->texts = room_for_one(w->texts, w->text_count, &w->text_capacity, sizeof text);
    w->texts[w->text_count++] = text;
}

static uint32_t data_crc(const struct safetensors_writer *w)
{
    uint32_t crc = 0;

    for (int64_t i = 0; i < w->tensor_count; i++) {
        if (w->tensors[i].bytes > 0)
            crc = crc32c(crc, w->tensors[i].data, (size_t)w->tensors[i].bytes);
    }
    return crc;
}

static void write_metadata(struct json *j, const struct safetensors_writer *w)
{
    char digits[SAFETENSORS_CRC_DIGITS + 1];

    safetensors_crc_digits(digits, data_crc(w));
    json_open_map(j, SAFETENSORS_METADATA);
    json_text(j, SAFETENSORS_FORMAT_KEY, SAFETENSORS_FORMAT);
    json_text(j, SAFETENSORS_CRC_KEY, digits);
    json_text(j, SAFETENSORS_HEADER_CRC_KEY, SAFETENSORS_CRC_ZEROS);
    for (int64_t i = 0; i < w->text_count; i++)
        json_text(j, w->texts[i].key, w->texts[i].value);
    json_close_map(j);
}

static void write_tensor(struct json *j, const struct written_tensor *t, int64_t offset)
{
    json_open_map(j, t->name);
    json_text(j, "dtype", safetensors_type_name(t->type));
    json_open_list(j, "shape");
    for (int i = 0; i < t->rank; i++)
        json_int(j, NULL, t->dims[i]);
    json_close_list(j);
    json_open_list(j, "data_offsets");
    json_int(j, NULL, offset);
    json_int(j, NULL, offset + t->bytes);
    json_close_list(j);
    json_close_map(j);
}

static void make_header(struct text *header, const struct safetensors_writer *w)
{
    char digits[SAFETENSORS_CRC_DIGITS + 1];
    int64_t offset = 0;
    struct json json;

    json_init(&json, header);
    json_open_map(&json, NULL);
    write_metadata(&json, w);
    for (int64_t i = 0; i < w->tensor_count; i++) {
        write_tensor(&json, &w->tensors[i], offset);
        offset += w->tensors[i].bytes;
    }
    json_close_map(&json);
    while (header->length % 8 != 0)
        text_add(header, " ");

    const int64_t place = safetensors_header_crc_place(header->data, header->length);
    CHECK(place >= 0);
    safetensors_crc_digits(digits, safetensors_header_crc(header->data, header->length, place));
    memcpy(header->data + place, digits, SAFETENSORS_CRC_DIGITS);
}

static enum status write_file(struct file_writer *out, const struct safetensors_writer *w,
                              const struct text *header)
{
    const uint64_t length = header->length;

    TRY(file_writer_put(out, &length, sizeof length));
    TRY(file_writer_put(out, header->data, header->length));
    for (int64_t i = 0; i < w->tensor_count; i++) {
        if (w->tensors[i].bytes > 0)
            TRY(file_writer_put(out, w->tensors[i].data, (size_t)w->tensors[i].bytes));
    }
    return STATUS_OK;
}

enum status safetensors_writer_save(struct safetensors_writer *w, const char *path)
{
    struct text header = {0};
    struct file_writer out;
    enum status status;

    TRY(file_writer_open(&out, path));
    make_header(&header, w);
    status = file_writer_close(&out, write_file(&out, w, &header));
    text_release(&header);
    return status;
}
