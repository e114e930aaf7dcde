/*
 * file_array.c - converts ranges of arrays of files.
 */
#include "format/file_array.h"

#include <string.h>

#include "base/check.h"

/* The dimensions in the order of the file, the fastest last, or reversed. An empty array may have a
 * product of its other dimensions that overflows, and needs no steps. */
static void set_steps(struct file_array *a, bool is_reversed)
{
    int64_t step = 1;

    if (a->count == 0)
        return;
    for (int i = a->rank - 1; i >= 0; i--) {
        const int axis = is_reversed ? a->rank - 1 - i : i;

        a->steps[axis] = step;
        step *= a->dims[axis];
    }
}

/* A dimension of 1 has no steps to be taken. */
static void find_order(struct file_array *a)
{
    int64_t step = 1;

    a->is_c_order = true;
    if (a->count == 0)
        return;
    for (int i = a->rank - 1; i >= 0; i--) {
        a->is_c_order &= a->steps[i] == step || a->dims[i] == 1;
        step *= a->dims[i];
    }
}

bool file_array_set_data(struct file_array *a, const uint8_t *data, size_t bytes)
{
    int64_t count = 1;
    size_t needed;

    CHECK(a->rank >= 0 && a->rank <= FILE_ARRAY_RANK_MAX);
    for (int i = 0; i < a->rank; i++) {
        if (a->dims[i] < 0 || __builtin_mul_overflow(count, a->dims[i], &count))
            return false;
    }
    if (__builtin_mul_overflow((size_t)count, element_size(a->type.kind), &needed) ||
        needed != bytes)
        return false;
    a->count = count;
    a->data = data;
    a->bytes = bytes;
    set_steps(a, false);
    find_order(a);
    return true;
}

void file_array_set_fortran(struct file_array *a)
{
    set_steps(a, true);
    find_order(a);
}

bool file_array_transpose(struct file_array *a, const int64_t *axes)
{
    const struct file_array old = *a;
    bool is_used[FILE_ARRAY_RANK_MAX] = {false};

    for (int i = 0; i < a->rank; i++) {
        if (axes[i] < 0 || axes[i] >= a->rank || is_used[axes[i]])
            return false;
        is_used[axes[i]] = true;
    }
    for (int i = 0; i < a->rank; i++) {
        a->dims[i] = old.dims[axes[i]];
        a->steps[i] = old.steps[axes[i]];
    }
    find_order(a);
    return true;
}

bool file_array_is_plain(const struct file_array *a, enum element_kind kind)
{
    return a->type.kind == kind && !a->type.is_big_endian && a->is_c_order;
}

/* Where element `number` is, in C order. */
static const uint8_t *element_at(const struct file_array *a, int64_t number)
{
    int64_t place = number;

    if (!a->is_c_order) {
        place = 0;
        for (int i = a->rank - 1; i >= 0; i--) {
            place += number % a->dims[i] * a->steps[i];
            number /= a->dims[i];
        }
    }
    return a->data + (size_t)place * element_size(a->type.kind);
}

static void check_range(const struct file_array *a, int64_t first, int64_t count)
{
    CHECK(first >= 0 && count >= 0 && first <= a->count && count <= a->count - first);
}

/* Copies the range if it is in the file as it is wanted. */
static bool copy_plain(const struct file_array *a, enum element_kind kind, int64_t first,
                       int64_t count, void *out)
{
    const size_t size = element_size(kind);

    if (!file_array_is_plain(a, kind))
        return false;
    if (count > 0)
        memcpy(out, a->data + (size_t)first * size, (size_t)count * size);
    return true;
}

void file_array_to_floats(const struct file_array *a, int64_t first, int64_t count, float *out)
{
    check_range(a, first, count);
    if (copy_plain(a, ELEMENT_F32, first, count, out))
        return;
    for (int64_t i = 0; i < count; i++)
        out[i] = (float)element_to_double(a->type, element_at(a, first + i));
}

void file_array_to_doubles(const struct file_array *a, int64_t first, int64_t count, double *out)
{
    check_range(a, first, count);
    if (copy_plain(a, ELEMENT_F64, first, count, out))
        return;
    for (int64_t i = 0; i < count; i++)
        out[i] = element_to_double(a->type, element_at(a, first + i));
}

static enum status fail_value(const struct file_array *a, const char *name, int64_t number,
                              const char *right)
{
    return FAIL(STATUS_BAD_INPUT, "%s: element %lld is %.9g; it must be a whole number%s", name,
                (long long)number, element_to_double(a->type, element_at(a, number)), right);
}

enum status file_array_to_ints(const struct file_array *a, const char *name, int64_t first,
                               int64_t count, int64_t *out)
{
    check_range(a, first, count);
    if (copy_plain(a, ELEMENT_I64, first, count, out))
        return STATUS_OK;
    for (int64_t i = 0; i < count; i++) {
        if (!element_to_int(a->type, element_at(a, first + i), &out[i]))
            return fail_value(a, name, first + i, " of 64 bits");
    }
    return STATUS_OK;
}

enum status file_array_to_bytes(const struct file_array *a, const char *name, int64_t first,
                                int64_t count, uint8_t *out)
{
    int64_t value;

    check_range(a, first, count);
    if (copy_plain(a, ELEMENT_U8, first, count, out))
        return STATUS_OK;
    for (int64_t i = 0; i < count; i++) {
        if (!element_to_int(a->type, element_at(a, first + i), &value) || value < 0 || value > 255)
            return fail_value(a, name, first + i, " from 0 to 255");
        out[i] = (uint8_t)value;
    }
    return STATUS_OK;
}
