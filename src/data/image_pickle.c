/*
 * image_pickle.c - see image_pickle.h.
 */
#include "data/image_pickle.h"

#include <inttypes.h>

#include "base/mem.h"

static enum status find_data(struct image_pickle *x, const struct image_pickle_request *q)
{
    const int64_t size = 3 * q->side * q->side;
    const struct pickle_value *v;

    TRY(pickle_get(&x->pickle, "data", PICKLE_ARRAY, &v));
    const struct file_array *a = v->array;
    if (a->type.kind != ELEMENT_U8 || a->rank < 1 || a->count == 0 || a->count != a->dims[0] * size)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: data has %" PRId64 " rows and %" PRId64
                    " values of type %s; it must have %" PRId64 " of type u1 in each row",
                    q->path, a->rank < 1 ? 0 : a->dims[0], a->count, element_name(a->type.kind),
                    size);
    x->data = a;
    x->count = a->dims[0];
    x->is_in_file = !v->is_owned && a->is_c_order;
    return STATUS_OK;
}

static enum status set_labels(struct image_pickle *x, const struct image_pickle_request *q,
                              const int64_t *values)
{
    x->labels = MEM_NEW_N(int32_t, x->count);
    for (int64_t i = 0; i < x->count; i++) {
        const int64_t label = values[i] - q->first_label;

        if (label < 0 || label >= q->classes)
            return FAIL(
                STATUS_BAD_INPUT,
                "%s: %s: element %" PRId64 ": label %" PRId64 " is outside %" PRId64 "..%" PRId64,
                q->path, q->labels, i, values[i], q->first_label, q->first_label + q->classes - 1);
        x->labels[i] = (int32_t)label;
    }
    return STATUS_OK;
}

static enum status read_labels(struct image_pickle *x, const struct image_pickle_request *q)
{
    const struct pickle_value *v = pickle_find(x->pickle.root, q->labels);
    const int64_t count = v == NULL ? -1 : pickle_count(v);

    if (count < 0)
        return FAIL(STATUS_BAD_INPUT, "%s: has no list \"%s\"", q->path, q->labels);
    if (count != x->count)
        return FAIL(STATUS_BAD_INPUT, "%s: has %" PRId64 " %s for %" PRId64 " images", q->path,
                    count, q->labels, x->count);
    int64_t *values = MEM_NEW_N(int64_t, count);
    enum status s = pickle_to_ints(&x->pickle, v, values);
    if (s == STATUS_OK)
        s = set_labels(x, q, values);
    mem_free(values);
    return s;
}

static enum status open_file(struct image_pickle *x, const struct image_pickle_request *q)
{
    TRY(file_map_open(&x->map, q->path));
    TRY(pickle_decode(
        &x->pickle,
        &(struct pickle_source){.name = q->path, .file = x->map.data, .bytes = x->map.bytes}));
    TRY(find_data(x, q));
    return read_labels(x, q);
}

enum status image_pickle_open(struct image_pickle *x, const struct image_pickle_request *q)
{
    *x = (struct image_pickle){0};
    const enum status s = open_file(x, q);

    if (s != STATUS_OK)
        image_pickle_close(x);
    return s;
}

void image_pickle_close(struct image_pickle *x)
{
    mem_free(x->labels);
    pickle_release(&x->pickle);
    file_map_close(&x->map);
    *x = (struct image_pickle){0};
}
