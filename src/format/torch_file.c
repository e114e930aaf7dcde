/*
 * torch_file.c - see torch_file.h.
 */
#include "format/torch_file.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

/* --- pickle --- */

static void op(struct text *p, char code)
{
    text_add_n(p, &code, 1);
}

static void put_bytes(struct text *p, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        op(p, (char)(uint8_t)(value >> 8 * i));
}

/* BININT where it fits, else LONG1 of eight bytes. */
static void put_int(struct text *p, int64_t value)
{
    const bool is_small = value >= INT32_MIN && value <= INT32_MAX;

    op(p, is_small ? 'J' : '\x8a');
    if (!is_small)
        op(p, 8);
    put_bytes(p, (uint64_t)value, is_small ? 4 : 8);
}

static void put_text(struct text *p, const char *text)
{
    op(p, 'X');
    put_bytes(p, strlen(text), 4);
    text_add(p, text);
}

static void put_global(struct text *p, const char *module, const char *name)
{
    text_addf(p, "c%s\n%s\n", module, name);
}

static void put_tuple(struct text *p, const int64_t *items, int count)
{
    op(p, '(');
    for (int i = 0; i < count; i++)
        put_int(p, items[i]);
    op(p, 't');
}

void torch_file_begin_dict(struct torch_file *f)
{
    text_add(&f->pickle, "}(");
}

void torch_file_end_dict(struct torch_file *f)
{
    op(&f->pickle, 'u');
}

void torch_file_begin_list(struct torch_file *f)
{
    text_add(&f->pickle, "](");
}

void torch_file_end_list(struct torch_file *f)
{
    op(&f->pickle, 'e');
}

void torch_file_text(struct torch_file *f, const char *text)
{
    put_text(&f->pickle, text);
}

void torch_file_int(struct torch_file *f, int64_t value)
{
    put_int(&f->pickle, value);
}

/* --- tensors --- */

/* In the order of enum torch_type. */
static const struct {
    const char *storage;
    size_t bytes;
} types[] = {
    {"FloatStorage",  4},
    {"DoubleStorage", 8},
    {"LongStorage",   8},
    {"BoolStorage",   1},
};

static void put_storage(struct text *p, const struct torch_storage *s)
{
    char *number = text_format("%d", s->number);

    op(p, '(');
    put_text(p, "storage");
    put_global(p, "torch", types[s->type].storage);
    put_text(p, number);
    put_text(p, "cpu");
    put_int(p, s->count);
    text_add(p, "tQ");
    mem_free(number);
}

void torch_file_tensor(struct torch_file *f, const struct torch_storage *s, int64_t offset,
                       int rank, const int64_t *dims)
{
    struct text *p = &f->pickle;
    int64_t strides[TORCH_RANK_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};

    CHECK(rank <= TORCH_RANK_MAX);
    if (rank > 0)
        strides[rank - 1] = 1;
    for (int i = rank - 2; i >= 0; i--)
        strides[i] = strides[i + 1] * dims[i + 1];

    put_global(p, "torch._utils", "_rebuild_tensor_v2");
    op(p, '(');
    put_storage(p, s);
    put_int(p, offset);
    put_tuple(p, dims, rank);
    put_tuple(p, strides, rank);
    op(p, '\x89'); /* requires no gradient */
    put_global(p, "collections", "OrderedDict");
    text_add(p, ")RtR");
}

void torch_file_tensors(struct torch_file *f, const struct torch_storage *s, int64_t count,
                        int rank, const int64_t *dims)
{
    int64_t size = 1;

    for (int i = 0; i < rank; i++)
        size *= dims[i];
    torch_file_begin_list(f);
    for (int64_t i = 0; i < count; i++)
        torch_file_tensor(f, s, i * size, rank, dims);
    torch_file_end_list(f);
}

enum status torch_file_storage(struct torch_file *f, enum torch_type type, int64_t count,
                               const void *data, struct torch_storage *s)
{
    *s = (struct torch_storage){.type = type, .count = count, .number = f->storages++};
    char *name = text_format("archive/data/%d", s->number);
    const enum status status = zip_add(&f->zip, name, data, (size_t)count * types[type].bytes);

    mem_free(name);
    return status;
}

/* --- the file --- */

enum status torch_file_open(struct torch_file *f, const char *path)
{
    *f = (struct torch_file){0};
    TRY(zip_open(&f->zip, path));
    op(&f->pickle, '\x80');
    op(&f->pickle, 2);
    return STATUS_OK;
}

static enum status add_pickle(struct torch_file *f)
{
    op(&f->pickle, '.');
    TRY(zip_add(&f->zip, "archive/data.pkl", f->pickle.data, f->pickle.length));
    return zip_add(&f->zip, "archive/version", "3\n", 2);
}

enum status torch_file_close(struct torch_file *f, enum status body)
{
    const enum status s = zip_close(&f->zip, body == STATUS_OK ? add_pickle(f) : body);

    text_release(&f->pickle);
    return s;
}
