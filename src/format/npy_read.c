/*
 * npy_read.c - arrays from .npy files that other programs have written.
 */
#include <string.h>

#include "base/mem.h"
#include "format/npy.h"

enum { PREFIX_V1 = 10, PREFIX_V2 = 12, DIM_DIGITS = 18 };

/* After "'key':" and blanks; NULL when the header has no such key. */
static const char *find_value(const char *header, const char *key)
{
    char *quoted = text_format("'%s':", key);
    const char *at = strstr(header, quoted);

    if (at != NULL) {
        at += strlen(quoted);
        at += strspn(at, " ");
    }
    mem_free(quoted);
    return at;
}

/* A text in quotes; records have a list instead. */
static enum status parse_type(const char *name, const char *at, struct element_type *type)
{
    if (at == NULL || *at != '\'')
        return FAIL(STATUS_BAD_INPUT, "%s: has records; it must have numbers", name);

    const size_t length = strcspn(++at, "'");

    if (!element_parse(at, length, type))
        return FAIL(STATUS_BAD_INPUT, "%s: has values of type %.*s; it must have numbers", name,
                    (int)(length < 20 ? length : 20), at);
    return STATUS_OK;
}

static bool parse_dim(const char **at, int64_t *dim)
{
    const size_t digits = strspn(*at, "0123456789");
    char number[DIM_DIGITS + 1] = {0};

    if (digits == 0 || digits > DIM_DIGITS)
        return false;
    memcpy(number, *at, digits);
    *at += digits;
    return text_to_int(number, dim);
}

static enum status fail_header(const char *name)
{
    return FAIL(STATUS_BAD_INPUT, "%s: is not a .npy file, or its header is damaged", name);
}

/* "(82, 2)" */
static enum status parse_shape(const char *name, const char *at, struct file_array *a)
{
    if (at == NULL || *at++ != '(')
        return fail_header(name);
    while (*at != ')') {
        if (a->rank == FILE_ARRAY_RANK_MAX)
            return FAIL(STATUS_BAD_INPUT, "%s: has more than %d dimensions", name,
                        FILE_ARRAY_RANK_MAX);
        if (!parse_dim(&at, &a->dims[a->rank++]))
            return fail_header(name);
        at += strspn(at, ", ");
    }
    return STATUS_OK;
}

/* Where the values begin, and a copy of the header; 0: this is not such a file. */
static size_t find_header(const uint8_t *bytes, size_t size, char **header)
{
    if (size < PREFIX_V2 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3)
        return 0;
    const bool is_short = bytes[6] == 1;
    const size_t prefix = is_short ? PREFIX_V1 : PREFIX_V2;
    const size_t length = bytes[8] + 256u * bytes[9] +
                          (is_short ? 0 : ((size_t)bytes[10] << 16) + ((size_t)bytes[11] << 24));
    if (length > size - prefix)
        return 0;
    *header = mem_text_n((const char *)bytes + prefix, length);
    return prefix + length;
}

static enum status parse_header(const char *name, const char *header, struct file_array *a,
                                bool *is_fortran)
{
    const char *order = find_value(header, "fortran_order");

    if (order == NULL || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
        return fail_header(name);
    *is_fortran = *order == 'T';
    TRY(parse_type(name, find_value(header, "descr"), &a->type));
    return parse_shape(name, find_value(header, "shape"), a);
}

/* "(82, 2)", mem_free */
static char *shape_text(const struct file_array *a)
{
    struct text t = {0};

    for (int i = 0; i < a->rank; i++)
        text_addf(&t, "%s%lld", i == 0 ? "(" : ", ", (long long)a->dims[i]);
    text_add(&t, a->rank == 0 ? "()" : a->rank == 1 ? ",)" : ")");
    return text_take(&t);
}

static enum status fail_size(const char *name, const struct file_array *a, size_t bytes)
{
    char *shape = shape_text(a);
    const enum status s =
        FAIL(STATUS_BAD_INPUT, "%s: is damaged: its shape is %s of type %s, but it has %zu bytes",
             name, shape, element_name(a->type.kind), bytes);

    mem_free(shape);
    return s;
}

enum status npy_decode(const char *name, const void *file, size_t bytes, struct file_array *a)
{
    char *header = NULL;
    bool is_fortran = false;
    const size_t begin = find_header(file, bytes, &header);

    *a = (struct file_array){0};

    enum status s = begin == 0 ? fail_header(name) : parse_header(name, header, a, &is_fortran);

    mem_free(header);
    if (s == STATUS_OK && !file_array_set_data(a, (const uint8_t *)file + begin, bytes - begin))
        s = fail_size(name, a, bytes - begin);
    if (s == STATUS_OK && is_fortran)
        file_array_set_fortran(a);
    if (s != STATUS_OK)
        *a = (struct file_array){0};
    return s;
}

static enum status check_matrix(const char *name, const struct file_array *a)
{
    if (a->type.kind != ELEMENT_F64)
        return FAIL(STATUS_BAD_INPUT, "%s: has values of type %s; it must be f8 (float64)", name,
                    element_name(a->type.kind));
    if (a->rank == 2)
        return STATUS_OK;

    char *shape = shape_text(a);
    const enum status s =
        FAIL(STATUS_BAD_INPUT, "%s: has the shape %s; it must be a matrix", name, shape);

    mem_free(shape);
    return s;
}

enum status npy_decode_f64(const char *name, const void *file, size_t bytes, int64_t dims[2],
                           double **values)
{
    struct file_array a;

    *values = NULL;
    dims[0] = dims[1] = 0;
    TRY(npy_decode(name, file, bytes, &a));
    TRY(check_matrix(name, &a));
    dims[0] = a.dims[0];
    dims[1] = a.dims[1];
    *values = MEM_NEW_N(double, a.count);
    file_array_to_doubles(&a, 0, a.count, *values);
    return STATUS_OK;
}
