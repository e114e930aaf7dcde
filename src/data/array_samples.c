/*
 * array_samples.c - see array_samples.h.
 */
#include "data/array_samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

enum { CLASSES_MAX = 100000 };

/* "(60000, 28, 28)". mem_free */
static char *shape_text(const struct file_array *a)
{
    struct text t = {0};

    for (int i = 0; i < a->rank; i++)
        text_addf(&t, "%s%" PRId64, i == 0 ? "(" : ", ", a->dims[i]);
    text_add(&t, a->rank == 0 ? "()" : a->rank == 1 ? ",)" : ")");
    return text_take(&t);
}

static enum status fail_shape(const struct named_array *x, const char *right)
{
    char *shape = shape_text(&x->array);
    const enum status s =
        FAIL(STATUS_BAD_INPUT, "%s: has shape %s; it must be %s", x->name, shape, right);

    mem_free(shape);
    return s;
}

/* --- inputs --- */

static bool is_channels(int64_t n)
{
    return n == 1 || n == 3;
}

/* The array with its channels last. */
static struct file_array with_channels_last(const struct file_array *x)
{
    struct file_array a = *x;

    if (a.rank == 4 && is_channels(a.dims[1]) && !is_channels(a.dims[3]))
        (void)file_array_transpose(&a, (int64_t[]){0, 2, 3, 1});
    return a;
}

/* What dataset.h calls height, width and channels. */
static void set_shape(struct dataset *d, const struct file_array *a)
{
    const bool is_image = a->rank > 2;

    d->height = is_image ? a->dims[1] : 1;
    d->width = is_image ? a->dims[2] : 1;
    d->channels = a->rank == 4 ? a->dims[3] : a->rank == 2 ? a->dims[1] : 1;
}

static enum status read_floats(float **out, const struct named_array *x, const struct file_array *a)
{
    *out = MEM_NEW_N(float, a->count);
    file_array_to_floats(a, 0, a->count, *out);
    for (int64_t i = 0; i < a->count; i++)
        if (!isfinite((*out)[i]))
            return FAIL(STATUS_BAD_INPUT,
                        "%s: element %" PRId64 " is %g; it must be a finite number", x->name, i,
                        (double)(*out)[i]);
    return STATUS_OK;
}

static enum status read_inputs(struct samples *part, const struct named_array *x,
                               const struct file_array *a)
{
    part->count = a->dims[0];
    if (a->type.kind != ELEMENT_U8 || a->rank < 3)
        return read_floats(&part->values, x, a);
    part->bytes = MEM_NEW_N(uint8_t, a->count);
    return file_array_to_bytes(a, x->name, 0, a->count, part->bytes);
}

static enum status check_inputs(const struct named_array *x)
{
    const struct file_array *a = &x->array;

    if (a->rank < 1 || a->rank > 4)
        return fail_shape(x, "(samples, numbers), (samples, height, width) or (samples, height, "
                             "width, channels)");
    if (a->count == 0)
        return fail_shape(x, "at least one sample with at least one number");
    return STATUS_OK;
}

enum status array_samples_inputs(struct dataset *d, const struct named_array *inputs)
{
    TRY(check_inputs(inputs));
    const struct file_array a = with_channels_last(&inputs->array);

    set_shape(d, &a);
    return read_inputs(&d->train, inputs, &a);
}

/* --- outputs --- */

static int compare_ints(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The classes are the numbers of `values`, each once; their names are these numbers. */
static enum status set_classes(struct dataset *d, const struct named_array *x, int64_t *values)
{
    const int64_t count = d->train.count;

    qsort(values, (size_t)count, sizeof *values, compare_ints);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && values[i] == values[i - 1])
            continue;
        if (d->classes == CLASSES_MAX)
            return FAIL(STATUS_BAD_INPUT,
                        "%s: has more than %d different labels; numbers to predict must be floats",
                        x->name, CLASSES_MAX);
        d->classes++;
        d->own_names = mem_grow(d->own_names, d->classes, sizeof *d->own_names);
        d->own_names[d->classes - 1] = text_format("%" PRId64, values[i]);
        values[d->classes - 1] = values[i];
    }
    d->class_names = (const char *const *)d->own_names;
    if (d->classes < 2)
        return FAIL(STATUS_BAD_INPUT, "%s: all labels are %s; there must be two classes", x->name,
                    d->own_names[0]);
    return STATUS_OK;
}

/* The class whose name is this number; -1: none. Names are sorted by their numbers. */
static int32_t find_class(const struct dataset *d, int64_t value)
{
    int64_t low = 0, high = d->classes;

    while (low < high) {
        const int64_t middle = (low + high) / 2;
        int64_t there = 0;

        (void)text_to_int(d->own_names[middle], &there);
        if (there == value)
            return (int32_t)middle;
        low = there < value ? middle + 1 : low;
        high = there < value ? high : middle;
    }
    return -1;
}

static enum status set_labels(struct samples *part, const struct dataset *d,
                              const struct named_array *x, const int64_t *values)
{
    part->labels = MEM_NEW_N(int32_t, part->count);
    for (int64_t i = 0; i < part->count; i++) {
        part->labels[i] = find_class(d, values[i]);
        if (part->labels[i] < 0)
            return FAIL(STATUS_BAD_INPUT,
                        "%s: element %" PRId64 ": label %" PRId64
                        " is not among those of the training part",
                        x->name, i, values[i]);
    }
    return STATUS_OK;
}

static enum status read_labels(struct dataset *d, struct samples *part, const struct named_array *x)
{
    int64_t *values = MEM_NEW_N(int64_t, part->count);
    int64_t *sorted = MEM_NEW_N(int64_t, part->count);
    enum status s = file_array_to_ints(&x->array, x->name, 0, part->count, values);

    if (s == STATUS_OK && d->classes == 0) {
        for (int64_t i = 0; i < part->count; i++)
            sorted[i] = values[i];
        s = set_classes(d, x, sorted);
    }
    if (s == STATUS_OK)
        s = set_labels(part, d, x, values);
    mem_free(values);
    mem_free(sorted);
    return s;
}

static enum status check_outputs(const struct named_array *x, const struct samples *part)
{
    const struct file_array *a = &x->array;
    const bool is_float = element_is_float(a->type.kind);
    const int64_t each = a->rank == 2 ? a->dims[1] : 1;

    if (a->rank < 1 || a->rank > 2 || each < 1 || (each > 1 && !is_float))
        return fail_shape(x, "(samples,) for labels, or (samples, numbers) of floats for targets");
    if (a->dims[0] != part->count)
        return FAIL(STATUS_BAD_INPUT, "%s: has %" PRId64 " rows for %" PRId64 " samples", x->name,
                    a->dims[0], part->count);
    return STATUS_OK;
}

enum status array_samples_outputs(struct dataset *d, const struct named_array *outputs)
{
    const struct file_array *a = &outputs->array;

    TRY(check_outputs(outputs, &d->train));
    if (!element_is_float(a->type.kind))
        return read_labels(d, &d->train, outputs);
    d->target_size = a->rank == 2 ? a->dims[1] : 1;
    return read_floats(&d->train.targets, outputs, a);
}

/* --- the test part --- */

static enum status check_same_inputs(const struct dataset *d, const struct named_array *x,
                                     const struct file_array *a)
{
    struct dataset other = {0};

    set_shape(&other, a);
    if (other.height != d->height || other.width != d->width || other.channels != d->channels)
        return fail_shape(x, "the shape of the training samples, but for their number");
    if ((a->type.kind == ELEMENT_U8 && a->rank > 2) != (d->train.bytes != NULL))
        return FAIL(STATUS_BAD_INPUT, "%s: has type %s, another than the training samples", x->name,
                    element_name(a->type.kind));
    return STATUS_OK;
}

enum status array_samples_test(struct dataset *d, const struct named_array *inputs,
                               const struct named_array *outputs)
{
    TRY(check_inputs(inputs));
    const struct file_array a = with_channels_last(&inputs->array);
    const struct file_array *b = &outputs->array;

    TRY(check_same_inputs(d, inputs, &a));
    TRY(read_inputs(&d->test, inputs, &a));
    TRY(check_outputs(outputs, &d->test));
    if (element_is_float(b->type.kind) != (d->target_size > 0) ||
        (d->target_size > 0 && b->count != d->test.count * d->target_size))
        return fail_shape(outputs, "of the same type and size as that of the training part");
    return d->classes > 0 ? read_labels(d, &d->test, outputs)
                          : read_floats(&d->test.targets, outputs, b);
}
