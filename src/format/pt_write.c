/*
 * pt_write.c - see pt_write.h. The opcodes are those of Python's pickletools.
 */
#include "format/pt_write.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

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

void pt_put_text(struct text *p, const char *text)
{
    op(p, 'X');
    put_bytes(p, strlen(text), 4);
    text_add(p, text);
}

void pt_begin(struct text *p)
{
    op(p, '\x80');
    op(p, 2);
    text_add(p, "}(");
}

void pt_end(struct text *p)
{
    text_add(p, "u.");
}

void pt_begin_list(struct text *p)
{
    text_add(p, "](");
}

void pt_end_list(struct text *p)
{
    op(p, 'e');
}

static void put_storage(struct text *p, const struct pt_view *v)
{
    static const char *const names[] = {
        [PT_F32] = "FloatStorage",
        [PT_F64] = "DoubleStorage",
        [PT_I64] = "LongStorage",
        [PT_BOOL] = "BoolStorage",
    };
    char *number = text_format("%lld", (long long)v->storage);

    op(p, '(');
    pt_put_text(p, "storage");
    put_global(p, "torch", names[v->type]);
    pt_put_text(p, number);
    pt_put_text(p, "cpu");
    put_int(p, v->storage_size);
    text_add(p, "tQ");
    mem_free(number);
}

void pt_put_tensor(struct text *p, const struct pt_view *v)
{
    int64_t strides[PT_RANK_MAX];

    CHECK(v->rank >= 0 && v->rank <= PT_RANK_MAX);
    for (int i = v->rank - 1; i >= 0; i--)
        strides[i] = i == v->rank - 1 ? 1 : strides[i + 1] * v->dims[i + 1];

    put_global(p, "torch._utils", "_rebuild_tensor_v2");
    op(p, '(');
    put_storage(p, v);
    put_int(p, v->offset);
    put_tuple(p, v->dims, v->rank);
    put_tuple(p, strides, v->rank);
    op(p, '\x89'); /* requires no gradient */
    put_global(p, "collections", "OrderedDict");
    text_add(p, ")RtR");
}

enum status pt_add_pickle(struct zip *z, const struct text *pickle)
{
    return zip_add(z, "archive/data.pkl", pickle->data, pickle->length);
}

enum status pt_add_storage(struct zip *z, int64_t number, const void *data, size_t bytes)
{
    char *name = text_format("archive/data/%lld", (long long)number);
    const enum status s = zip_add(z, name, data, bytes);

    mem_free(name);
    return s;
}

enum status pt_add_version(struct zip *z)
{
    return zip_add(z, "archive/version", "3\n", 2);
}
