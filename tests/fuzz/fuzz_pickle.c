/*
 * fuzz_pickle.c - libFuzzer target: any bytes as a pickle.
 *
 * Every byte of every value that was read can be read, and every element of its arrays.
 */
#include "base/check.h"
#include "base/mem.h"
#include "format/pickle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_bytes(const struct pickle *p, struct pickle_bytes bytes, bool is_owned)
{
    volatile uint8_t sum = 0;

    CHECK(is_owned || bytes.bytes == 0 || pickle_place(p, bytes.data) >= 0);
    for (size_t i = 0; i < bytes.bytes; i++)
        sum = (uint8_t)(sum + bytes.data[i]);
}

static void read_array(const struct file_array *a)
{
    int64_t *values = MEM_NEW_N(int64_t, a->count);
    float *floats = MEM_NEW_N(float, a->count);

    file_array_to_floats(a, 0, a->count, floats);
    (void)file_array_to_ints(a, "fuzz", 0, a->count, values);
    mem_free(values);
    mem_free(floats);
}

static void read_tensor(const struct pickle_tensor *t)
{
    CHECK(t->rank >= 0 && t->rank <= FILE_ARRAY_RANK_MAX && t->offset >= 0);
    CHECK(element_size(t->storage->type.kind) > 0);
}

static void read_value(const struct pickle *p, const struct pickle_value *v)
{
    const bool is_list =
        v->kind == PICKLE_LIST || v->kind == PICKLE_TUPLE || v->kind == PICKLE_DICT;
    const bool is_bytes =
        v->kind == PICKLE_BYTES || v->kind == PICKLE_TEXT || v->kind == PICKLE_LONG;

    CHECK(v->kind < PICKLE_NAME && v->offset < p->bytes);
    CHECK(v->kind != PICKLE_DICT || v->list.count % 2 == 0);
    for (int64_t i = 0; is_list && i < v->list.count; i++)
        read_value(p, v->list.items[i]);
    if (is_bytes)
        read_bytes(p, v->bytes, v->is_owned);
    if (v->kind == PICKLE_ARRAY)
        read_array(v->array);
    if (v->kind == PICKLE_TENSOR)
        read_tensor(v->tensor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pickle p;

    if (pickle_decode(&p, &(struct pickle_source){.name = "fuzz", .file = data, .bytes = size}) !=
        STATUS_OK)
        return 0;
    CHECK(p.end <= size);
    read_value(&p, p.root);
    pickle_release(&p);
    return 0;
}
