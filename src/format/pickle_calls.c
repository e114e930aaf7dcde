/*
 * pickle_calls.c - what the functions and classes of pickle_names.h make. They are not called:
 * their arguments are read as data.
 */
#include <string.h>

#include "base/check.h"
#include "format/pickle_machine.h"
#include "format/pickle_names.h"

enum { NAME_SHOWN = 100, DTYPE_SHOWN = 40, STATE_VERSIONED = 5 };

/* --- names --- */

static bool is_name(struct pickle_bytes bytes, const char *name)
{
    return bytes.bytes == strlen(name) && memcmp(bytes.data, name, bytes.bytes) == 0;
}

static int shown(struct pickle_bytes bytes, int most)
{
    return bytes.bytes < (size_t)most ? (int)bytes.bytes : most;
}

enum status pickle_push_name(struct pickle_machine *m, struct pickle_bytes module,
                             struct pickle_bytes name)
{
#define PICKLE_NAME_ROW(module, name, what) {module, name, (int)(what)},
    static const struct {
        const char *module, *name;
        int what;
    } known[] = {PICKLE_NAMES(PICKLE_NAME_ROW)};
#undef PICKLE_NAME_ROW

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_name(module, known[i].module) && is_name(name, known[i].name))
            return pickle_push_new(
                m, (struct pickle_value){.kind = PICKLE_NAME, .name = known[i].what});
    }
    return pickle_fail(m,
                       "the pickle uses %.*s.%.*s; only plain values, arrays of NumPy and tensors "
                       "of PyTorch are read",
                       shown(module, NAME_SHOWN), (const char *)module.data,
                       shown(name, NAME_SHOWN), (const char *)name.data);
}

/* --- arguments --- */

/* Argument `number` of a tuple, of that kind. */
static enum status get_item(const struct pickle_machine *m, const struct pickle_value *tuple,
                            int64_t number, enum pickle_kind kind, struct pickle_value **item)
{
    if (number >= tuple->list.count)
        return pickle_fail(m, "argument %lld is missing", (long long)number + 1);
    *item = tuple->list.items[number];
    if ((*item)->kind != kind)
        return pickle_fail(m, "argument %lld is %s; it must be %s", (long long)number + 1,
                           pickle_kind_name((*item)->kind), pickle_kind_name(kind));
    return STATUS_OK;
}

/* A tuple of integers that are not negative. */
static enum status get_dims(const struct pickle_machine *m, const struct pickle_value *tuple,
                            int *rank, int64_t *dims)
{
    if (tuple->kind != PICKLE_TUPLE)
        return pickle_fail(m, "a shape is %s; it must be a tuple", pickle_kind_name(tuple->kind));
    if (tuple->list.count > FILE_ARRAY_RANK_MAX)
        return pickle_fail(m, "an array has %lld dimensions; at most %d are supported",
                           (long long)tuple->list.count, FILE_ARRAY_RANK_MAX);
    *rank = (int)tuple->list.count;
    for (int i = 0; i < *rank; i++) {
        if (tuple->list.items[i]->kind != PICKLE_INT || tuple->list.items[i]->integer < 0)
            return pickle_fail(m, "a shape must have whole numbers that are not negative");
        dims[i] = tuple->list.items[i]->integer;
    }
    return STATUS_OK;
}

/* --- bytes and dicts --- */

/* _codecs.encode(text, "latin1") */
static enum status call_encode(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *text = NULL, *encoding = NULL, *bytes = NULL;

    TRY(get_item(m, arguments, 0, PICKLE_TEXT, &text));
    TRY(get_item(m, arguments, 1, PICKLE_TEXT, &encoding));
    if (!pickle_is_text(encoding, "latin1") && !pickle_is_text(encoding, "latin-1"))
        return pickle_fail(m, "bytes are written in the encoding %.*s; it must be latin1",
                           shown(encoding->bytes, NAME_SHOWN), (const char *)encoding->bytes.data);
    TRY(pickle_encode_latin1(m, text, &bytes));
    pickle_push(m, bytes);
    return STATUS_OK;
}

/* bytes(), as Python 3 writes b"" in protocols 0 to 2 */
static enum status call_bytes(struct pickle_machine *m, const struct pickle_value *arguments)
{
    if (arguments->list.count != 0)
        return pickle_fail(m, "bytes() has arguments; it must have none");
    return pickle_push_new(m, (struct pickle_value){
                                  .kind = PICKLE_BYTES,
                                  .is_owned = true,
                                  .bytes = {.data = pickle_alloc(m->p, 1), .bytes = 0},
    });
}

/* OrderedDict(), or of Python 2: OrderedDict([[key, value], ...]) */
static enum status call_ordered_dict(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *pairs = NULL, *dict = pickle_new(m, PICKLE_DICT);

    if (arguments->list.count > 0)
        TRY(get_item(m, arguments, 0, PICKLE_LIST, &pairs));
    for (int64_t i = 0; pairs != NULL && i < pairs->list.count; i++) {
        const struct pickle_value *pair = pairs->list.items[i];

        if ((pair->kind != PICKLE_LIST && pair->kind != PICKLE_TUPLE) || pair->list.count != 2)
            return pickle_fail(m, "an OrderedDict must have pairs of key and value");
        pickle_list_add(m, dict, pair->list.items[0]);
        pickle_list_add(m, dict, pair->list.items[1]);
    }
    pickle_push(m, dict);
    return STATUS_OK;
}

/* torch.Size((2, 3)) */
static enum status call_size(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *tuple = NULL;

    TRY(get_item(m, arguments, 0, PICKLE_TUPLE, &tuple));
    pickle_push(m, tuple);
    return STATUS_OK;
}

/* --- arrays --- */

/* numpy.dtype("f4", False, True); the byte order follows by BUILD */
static enum status call_dtype(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value dtype = {.kind = PICKLE_DTYPE};
    const struct pickle_value *name = arguments->list.count > 0 ? arguments->list.items[0] : NULL;

    if (name == NULL || (name->kind != PICKLE_TEXT && name->kind != PICKLE_BYTES))
        return pickle_fail(m, "a dtype has no name");
    if (!element_parse((const char *)name->bytes.data, name->bytes.bytes, &dtype.type))
        return pickle_fail(m, "arrays of type %.*s are not supported; numbers and booleans are",
                           shown(name->bytes, DTYPE_SHOWN), (const char *)name->bytes.data);
    return pickle_push_new(m, dtype);
}

/* (3, "<", None, None, None, -1, -1, 0): version, byte order, subarray, names, fields, ... */
static enum status build_dtype(struct pickle_machine *m, struct pickle_value *dtype,
                               const struct pickle_value *state)
{
    const struct pickle_value *order =
        state->kind == PICKLE_TUPLE && state->list.count > 4 ? state->list.items[1] : NULL;

    if (order == NULL || (order->kind != PICKLE_TEXT && order->kind != PICKLE_BYTES) ||
        order->bytes.bytes != 1 || !element_set_order(&dtype->type, (char)order->bytes.data[0]))
        return pickle_fail(m, "a dtype has no byte order");
    for (int i = 2; i < 5; i++) {
        if (state->list.items[i]->kind != PICKLE_NONE)
            return pickle_fail(m, "arrays of records are not supported");
    }
    return STATUS_OK;
}

static struct pickle_value *new_array(struct pickle_machine *m)
{
    struct pickle_value *v = pickle_new(m, PICKLE_ARRAY);

    v->array = pickle_alloc(m->p, sizeof *v->array);
    return v;
}

/* _reconstruct(numpy.ndarray, (0,), b"b") */
static enum status call_reconstruct(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *class = NULL;

    TRY(get_item(m, arguments, 0, PICKLE_NAME, &class));
    if (class->name != PICKLE_NDARRAY)
        return pickle_fail(m, "only arrays of the class numpy.ndarray are supported");
    pickle_push(m, new_array(m));
    return STATUS_OK;
}

/* The bytes of an array whose type and shape are known. */
static enum status set_contents(const struct pickle_machine *m, struct pickle_value *v,
                                const struct pickle_value *contents)
{
    if (!file_array_set_data(v->array, contents->bytes.data, contents->bytes.bytes))
        return pickle_fail(m, "an array of type %s has %zu bytes, which do not fit its shape",
                           element_name(v->array->type.kind), contents->bytes.bytes);
    v->is_owned = contents->is_owned;
    return STATUS_OK;
}

/* (version, shape, dtype, is in Fortran order, bytes), in old files without the version */
static enum status build_array(struct pickle_machine *m, struct pickle_value *v,
                               const struct pickle_value *state)
{
    struct pickle_value *type = NULL, *contents = NULL;

    if (state->kind != PICKLE_TUPLE || state->list.count < STATE_VERSIONED - 1)
        return pickle_fail(m, "the state of an array must be a tuple of shape, type and contents");

    const int64_t first = state->list.count == STATE_VERSIONED - 1 ? 0 : 1;
    const struct pickle_value *order = state->list.items[first + 2];

    *v->array = (struct file_array){0};
    TRY(get_dims(m, state->list.items[first], &v->array->rank, v->array->dims));
    TRY(get_item(m, state, first + 1, PICKLE_DTYPE, &type));
    TRY(get_item(m, state, first + 3, PICKLE_BYTES, &contents));
    v->array->type = type->type;
    TRY(set_contents(m, v, contents));
    if ((order->kind == PICKLE_BOOL && order->boolean) ||
        (order->kind == PICKLE_INT && order->integer != 0))
        file_array_set_fortran(v->array);
    return STATUS_OK;
}

/* "C", "F", or "K" with the axes by which the array of the file is transposed */
static enum status set_order(const struct pickle_machine *m, struct file_array *a,
                             const struct pickle_value *arguments)
{
    const struct pickle_value *order = arguments->list.items[3];
    int64_t axes[FILE_ARRAY_RANK_MAX];
    int rank = 0;

    if (pickle_is_text(order, "F")) {
        file_array_set_fortran(a);
    } else if (pickle_is_text(order, "K") && arguments->list.count > 4) {
        TRY(get_dims(m, arguments->list.items[4], &rank, axes));
        if (rank != a->rank || !file_array_transpose(a, axes))
            return pickle_fail(m, "the axes of an array are not a permutation");
    } else if (!pickle_is_text(order, "C")) {
        return pickle_fail(m, "the order of an array must be C, F or K");
    }
    return STATUS_OK;
}

/* _frombuffer(bytes, dtype, shape, order) */
static enum status call_from_buffer(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *contents = NULL, *type = NULL, *v = new_array(m);

    TRY(get_item(m, arguments, 0, PICKLE_BYTES, &contents));
    TRY(get_item(m, arguments, 1, PICKLE_DTYPE, &type));
    if (arguments->list.count < 4)
        return pickle_fail(m, "an array has no shape or no order");
    TRY(get_dims(m, arguments->list.items[2], &v->array->rank, v->array->dims));
    v->array->type = type->type;
    TRY(set_contents(m, v, contents));
    TRY(set_order(m, v->array, arguments));
    pickle_push(m, v);
    return STATUS_OK;
}

/* scalar(dtype, bytes): a number of Python, as it has no shape */
static enum status call_scalar(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *type = NULL, *bytes = NULL, v = {0};

    TRY(get_item(m, arguments, 0, PICKLE_DTYPE, &type));
    TRY(get_item(m, arguments, 1, PICKLE_BYTES, &bytes));
    if (bytes->bytes.bytes != element_size(type->type.kind))
        return pickle_fail(m, "a scalar of type %s has %zu bytes", element_name(type->type.kind),
                           bytes->bytes.bytes);
    v.kind = element_is_float(type->type.kind) ? PICKLE_FLOAT : PICKLE_INT;
    if (v.kind == PICKLE_FLOAT) {
        v.number = element_to_double(type->type, bytes->bytes.data);
    } else if (type->type.kind == ELEMENT_BOOL) {
        v.kind = PICKLE_BOOL;
        v.boolean = bytes->bytes.data[0] != 0;
    } else if (!element_to_int(type->type, bytes->bytes.data, &v.integer)) {
        return pickle_fail(m, "a scalar is beyond 2^63 - 1");
    }
    return pickle_push_new(m, v);
}

/* --- tensors --- */

/* ("storage", torch.FloatStorage, key, device, elements) */
enum status pickle_push_persistent(struct pickle_machine *m, const struct pickle_value *id)
{
    struct pickle_value *class = NULL, *count = NULL, *v = pickle_new(m, PICKLE_STORAGE);

    if (id->kind != PICKLE_TUPLE || id->list.count < 5 ||
        !pickle_is_text(id->list.items[0], "storage"))
        return pickle_fail(m, "a persistent id must be that of a storage of PyTorch");
    TRY(get_item(m, id, 1, PICKLE_NAME, &class));
    TRY(get_item(m, id, 4, PICKLE_INT, &count));

    const struct pickle_value *key = id->list.items[2];

    if (class->name < PICKLE_STORAGE_CLASS || count->integer < 0 ||
        (key->kind != PICKLE_TEXT && key->kind != PICKLE_BYTES))
        return pickle_fail(m, "a storage of PyTorch must have a type, a key and a size");
    v->storage = pickle_alloc(m->p, sizeof *v->storage);
    *v->storage = (struct pickle_storage){
        .type = {.kind = (enum element_kind)(class->name - PICKLE_STORAGE_CLASS)},
        .key = key->bytes,
        .count = count->integer,
    };
    pickle_push(m, v);
    return STATUS_OK;
}

/* Whether every element is inside the storage. */
static bool is_inside(const struct pickle_tensor *t)
{
    int64_t last = t->offset;

    for (int i = 0; i < t->rank; i++) {
        int64_t span;

        if (t->dims[i] == 0)
            return true;
        if (__builtin_mul_overflow(t->dims[i] - 1, t->steps[i], &span) ||
            __builtin_add_overflow(last, span, &last))
            return false;
    }
    return last < t->storage->count;
}

/* _rebuild_tensor_v2(storage, offset, shape, steps, ...) */
static enum status call_tensor(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *storage = NULL, *offset = NULL, *v = pickle_new(m, PICKLE_TENSOR);
    int steps_rank = 0;

    TRY(get_item(m, arguments, 0, PICKLE_STORAGE, &storage));
    TRY(get_item(m, arguments, 1, PICKLE_INT, &offset));
    if (arguments->list.count < 4)
        return pickle_fail(m, "a tensor has no shape or no strides");

    struct pickle_tensor *t = v->tensor = pickle_alloc(m->p, sizeof *v->tensor);

    t->storage = storage->storage;
    t->offset = offset->integer;
    TRY(get_dims(m, arguments->list.items[2], &t->rank, t->dims));
    TRY(get_dims(m, arguments->list.items[3], &steps_rank, t->steps));
    if (steps_rank != t->rank || t->offset < 0 || !is_inside(t))
        return pickle_fail(m,
                           "the shape and the strides of a tensor do not fit its storage of "
                           "%lld elements",
                           (long long)t->storage->count);
    pickle_push(m, v);
    return STATUS_OK;
}

/* _rebuild_parameter(tensor, requires_grad, hooks) */
static enum status call_parameter(struct pickle_machine *m, const struct pickle_value *arguments)
{
    struct pickle_value *tensor = NULL;

    TRY(get_item(m, arguments, 0, PICKLE_TENSOR, &tensor));
    pickle_push(m, tensor);
    return STATUS_OK;
}

/* --- all of them --- */

enum status pickle_call(struct pickle_machine *m, const struct pickle_value *callee,
                        const struct pickle_value *arguments)
{
    static enum status (*const calls[])(struct pickle_machine *, const struct pickle_value *) = {
        [PICKLE_RECONSTRUCT] = call_reconstruct,
        [PICKLE_NEW_DTYPE] = call_dtype,
        [PICKLE_SCALAR] = call_scalar,
        [PICKLE_FROM_BUFFER] = call_from_buffer,
        [PICKLE_ENCODE] = call_encode,
        [PICKLE_NEW_BYTES] = call_bytes,
        [PICKLE_ORDERED_DICT] = call_ordered_dict,
        [PICKLE_REBUILD_TENSOR] = call_tensor,
        [PICKLE_REBUILD_PARAMETER] = call_parameter,
        [PICKLE_TORCH_SIZE] = call_size,
        [PICKLE_STORAGE_CLASS] = NULL,
    };

    if (callee->kind != PICKLE_NAME || arguments->kind != PICKLE_TUPLE)
        return pickle_fail(m, "the pickle calls %s with %s", pickle_kind_name(callee->kind),
                           pickle_kind_name(arguments->kind));
    if (callee->name >= PICKLE_STORAGE_CLASS || calls[callee->name] == NULL)
        return pickle_fail(m, "the pickle calls a class that cannot be called here");
    return calls[callee->name](m, arguments);
}

enum status pickle_build(struct pickle_machine *m, struct pickle_value *v,
                         const struct pickle_value *state)
{
    if (v->kind == PICKLE_ARRAY)
        return build_array(m, v, state);
    if (v->kind == PICKLE_DTYPE)
        return build_dtype(m, v, state);
    if (v->kind == PICKLE_DICT && state->kind == PICKLE_DICT)
        return STATUS_OK; /* attributes of an OrderedDict, such as _metadata of a state_dict */
    return pickle_fail(m, "the pickle sets the state of %s", pickle_kind_name(v->kind));
}
