/*
 * pickle_ask.c - questions about the values of a pickle.
 */
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "format/pickle.h"

enum { KEYS_SHOWN = 8, KEY_LONGEST = 100 };

const char *pickle_kind_name(enum pickle_kind kind)
{
#define PICKLE_KIND_ROW(kind, text) [kind] = text,
    static const char *const names[] = {PICKLE_KIND_LIST(PICKLE_KIND_ROW)};
#undef PICKLE_KIND_ROW

    return names[kind];
}

bool pickle_is_text(const struct pickle_value *v, const char *text)
{
    return (v->kind == PICKLE_TEXT || v->kind == PICKLE_BYTES) && v->bytes.bytes == strlen(text) &&
           memcmp(v->bytes.data, text, v->bytes.bytes) == 0;
}

const struct pickle_value *pickle_find(const struct pickle_value *dict, const char *key)
{
    CHECK(dict->kind == PICKLE_DICT);
    for (int64_t i = dict->list.count - 2; i >= 0; i -= 2) {
        if (pickle_is_text(dict->list.items[i], key))
            return dict->list.items[i + 1];
    }
    return NULL;
}

static bool is_printable(struct pickle_bytes text)
{
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.data[i] < ' ' || text.data[i] > '~')
            return false;
    }
    return text.bytes <= KEY_LONGEST;
}

/* "it has a, b, c" */
static void add_keys(struct text *t, const struct pickle_value *dict)
{
    for (int64_t i = 0; i < dict->list.count && i < 2 * KEYS_SHOWN; i += 2) {
        const struct pickle_value *key = dict->list.items[i];

        text_add(t, i == 0 ? "; it has " : ", ");
        if ((key->kind == PICKLE_TEXT || key->kind == PICKLE_BYTES) && is_printable(key->bytes))
            text_add_n(t, (const char *)key->bytes.data, key->bytes.bytes);
        else
            text_add(t, pickle_kind_name(key->kind));
    }
}

static enum status fail_missing(const struct pickle *p, const char *key)
{
    struct text keys = {0};

    add_keys(&keys, p->root);

    const enum status s =
        FAIL(STATUS_BAD_INPUT, "%s: has no entry \"%s\"%s", p->name, key, text_get(&keys));

    text_release(&keys);
    return s;
}

enum status pickle_get(const struct pickle *p, const char *key, enum pickle_kind kind,
                       const struct pickle_value **value)
{
    if (p->root->kind != PICKLE_DICT)
        return FAIL(STATUS_BAD_INPUT, "%s: is %s; it must be a dict", p->name,
                    pickle_kind_name(p->root->kind));
    *value = pickle_find(p->root, key);
    if (*value == NULL)
        return fail_missing(p, key);
    if ((*value)->kind != kind)
        return FAIL(STATUS_BAD_INPUT, "%s: offset %zu: \"%s\" is %s; it must be %s", p->name,
                    (*value)->offset, key, pickle_kind_name((*value)->kind),
                    pickle_kind_name(kind));
    return STATUS_OK;
}

int64_t pickle_count(const struct pickle_value *v)
{
    if (v->kind == PICKLE_ARRAY)
        return v->array->count;
    return v->kind == PICKLE_LIST || v->kind == PICKLE_TUPLE ? v->list.count : -1;
}

enum status pickle_to_ints(const struct pickle *p, const struct pickle_value *v, int64_t *out)
{
    CHECK(pickle_count(v) >= 0);
    if (v->kind == PICKLE_ARRAY)
        return file_array_to_ints(v->array, p->name, 0, v->array->count, out);
    for (int64_t i = 0; i < v->list.count; i++) {
        const struct pickle_value *item = v->list.items[i];

        if (item->kind != PICKLE_INT)
            return FAIL(STATUS_BAD_INPUT, "%s: offset %zu: element %lld is %s; it must be %s",
                        p->name, item->offset, (long long)i, pickle_kind_name(item->kind),
                        pickle_kind_name(PICKLE_INT));
        out[i] = item->integer;
    }
    return STATUS_OK;
}

int64_t pickle_place(const struct pickle *p, const uint8_t *data)
{
    const uintptr_t begin = (uintptr_t)p->file, at = (uintptr_t)data;

    return at >= begin && at <= begin + p->bytes ? (int64_t)(at - begin) : -1;
}
