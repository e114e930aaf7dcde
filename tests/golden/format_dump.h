/*
 * format_dump.h - what a file holds as text, as golden_formats.py writes it.
 */
#ifndef GOLDEN_FORMAT_DUMP_H
#define GOLDEN_FORMAT_DUMP_H

#include "base/check.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/pickle.h"

static inline void dump_hex(struct text *out, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        text_addf(out, "%02x", data[i]);
}

static inline void dump_dims(struct text *out, int rank, const int64_t *dims)
{
    text_add(out, "(");
    for (int i = 0; i < rank; i++)
        text_addf(out, "%lld, ", (long long)dims[i]);
    text_add(out, ")");
}

/* The values one by one from the end, so that every range of one is converted. */
static inline void dump_array(struct text *out, const struct file_array *a)
{
    float *floats = MEM_NEW_N(float, a->count);
    int64_t *ints = MEM_NEW_N(int64_t, a->count);
    const bool is_float = element_is_float(a->type.kind);

    for (int64_t i = a->count - 1; i >= 0; i--) {
        file_array_to_floats(a, i, 1, &floats[i]);
        CHECK(is_float || file_array_to_ints(a, "dump", i, 1, &ints[i]) == STATUS_OK);
    }
    text_addf(out, "array %s ", element_name(a->type.kind));
    dump_dims(out, a->rank, a->dims);
    for (int64_t i = 0; i < a->count; i++) {
        text_add(out, i == 0 ? " [" : " ");
        if (is_float)
            text_addf(out, "%.9g", (double)floats[i]);
        else
            text_addf(out, "%lld", (long long)ints[i]);
    }
    text_add(out, a->count == 0 ? " []" : "]");
    mem_free(floats);
    mem_free(ints);
}

static inline void dump_tensor(struct text *out, const struct pickle_tensor *t)
{
    text_addf(out, "tensor %s ", element_name(t->storage->type.kind));
    text_add_n(out, (const char *)t->storage->key.data, t->storage->key.bytes);
    text_addf(out, " %lld ", (long long)t->offset);
    dump_dims(out, t->rank, t->dims);
    text_add(out, " ");
    dump_dims(out, t->rank, t->steps);
    text_addf(out, " of %lld", (long long)t->storage->count);
}

static inline void dump_string(struct text *out, const char *kind, const struct pickle_value *v)
{
    text_addf(out, "%s ", kind);
    dump_hex(out, v->bytes.data, v->bytes.bytes);
}

static inline void dump_value(struct text *out, const struct pickle_value *v);

static inline void dump_list(struct text *out, const struct pickle_value *v, const char *brackets)
{
    text_addf(out, "%c", brackets[0]);
    for (int64_t i = 0; i < v->list.count; i++) {
        dump_value(out, v->list.items[i]);
        if (v->kind == PICKLE_DICT)
            text_add(out, i % 2 == 0 ? ": " : "\n");
        else
            text_add(out, ", ");
    }
    text_addf(out, "%c", brackets[1]);
}

static inline void dump_value(struct text *out, const struct pickle_value *v)
{
    switch (v->kind) {
    case PICKLE_NONE:
        text_add(out, "None");
        return;
    case PICKLE_BOOL:
        text_add(out, v->boolean ? "True" : "False");
        return;
    case PICKLE_INT:
        text_addf(out, "%lld", (long long)v->integer);
        return;
    case PICKLE_LONG:
        dump_string(out, "long", v);
        return;
    case PICKLE_FLOAT:
        text_addf(out, "float %.17g", v->number);
        return;
    case PICKLE_BYTES:
        dump_string(out, "bytes", v);
        return;
    case PICKLE_TEXT:
        dump_string(out, "text", v);
        return;
    case PICKLE_LIST:
        dump_list(out, v, "[]");
        return;
    case PICKLE_TUPLE:
        dump_list(out, v, "()");
        return;
    case PICKLE_DICT:
        dump_list(out, v, "{}");
        return;
    case PICKLE_ARRAY:
        dump_array(out, v->array);
        return;
    case PICKLE_TENSOR:
        dump_tensor(out, v->tensor);
        return;
    case PICKLE_STORAGE:
    case PICKLE_DTYPE:
    case PICKLE_NAME:
    case PICKLE_KIND_COUNT:
        break;
    }
    BUG("a kind that no file here has");
}

#endif
