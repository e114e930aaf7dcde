/*
 * npy_read.c - matrices from .npy files that other programs have written.
 */
#include <string.h>

#include "base/mem.h"
#include "format/npy.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are read as they lie");

enum { PREFIX_V1 = 10, PREFIX_V2 = 12, DIM_DIGITS = 15 };

/* What a header says. */
struct header {
    char type[16];
    bool is_fortran;
    int rank;
    int64_t dims[NPY_RANK_MAX];
    const char *shape; /* as it is written: "(82, 2)", borrowed */
    size_t shape_length;
};

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

static bool parse_type(const char *at, struct header *h)
{
    if (at == NULL || *at++ != '\'')
        return false;
    const size_t length = strcspn(at, "'");
    if (at[length] != '\'' || length >= sizeof h->type)
        return false;
    memcpy(h->type, at, length);
    h->type[length] = '\0';
    return true;
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

static bool parse_shape(const char *at, struct header *h)
{
    h->shape = at;
    if (at == NULL || *at++ != '(')
        return false;
    while (*at != ')') {
        if (h->rank == NPY_RANK_MAX || !parse_dim(&at, &h->dims[h->rank++]))
            return false;
        at += strspn(at, ", ");
    }
    h->shape_length = (size_t)(at + 1 - h->shape);
    return true;
}

static bool parse_header(const char *text, struct header *h)
{
    const char *order = find_value(text, "fortran_order");

    *h = (struct header){.is_fortran = order != NULL && strncmp(order, "True", 4) == 0};
    return (h->is_fortran || (order != NULL && strncmp(order, "False", 5) == 0)) &&
           parse_type(find_value(text, "descr"), h) && parse_shape(find_value(text, "shape"), h);
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

static void copy_values(const struct header *h, const uint8_t *data, double *values)
{
    const int64_t rows = h->dims[0], columns = h->dims[1];

    for (int64_t i = 0; i < rows * columns; i++) {
        const int64_t place = h->is_fortran ? i / rows + i % rows * columns : i;

        memcpy(&values[place], data + (size_t)i * sizeof *values, sizeof *values);
    }
}

/* The values of `bytes` bytes, whose header is h. */
static enum status read_values(const char *name, const struct header *h, const uint8_t *data,
                               size_t bytes, double **values)
{
    const int64_t count = (int64_t)(bytes / sizeof **values);

    if (strcmp(h->type, "<f8") != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: has values of type %s; it must be <f8 (float64)", name,
                    h->type);
    if (h->rank != 2)
        return FAIL(STATUS_BAD_INPUT, "%s: has the shape %.*s; it must be a matrix", name,
                    (int)h->shape_length, h->shape);
    if (bytes % sizeof **values != 0 || h->dims[0] > count || h->dims[1] > count ||
        h->dims[0] * h->dims[1] != count)
        return FAIL(STATUS_BAD_INPUT, "%s: is damaged: its shape is %.*s, but it has %zu bytes",
                    name, (int)h->shape_length, h->shape, bytes);
    *values = MEM_NEW_N(double, count);
    copy_values(h, data, *values);
    return STATUS_OK;
}

enum status npy_decode_f64(const char *name, const void *file, size_t bytes, int64_t dims[2],
                           double **values)
{
    struct header h = {0};
    char *header = NULL;
    enum status s;

    *values = NULL;
    const size_t begin = find_header(file, bytes, &header);
    if (begin == 0 || !parse_header(header, &h))
        s = FAIL(STATUS_BAD_INPUT, "%s: is not a .npy file", name);
    else
        s = read_values(name, &h, (const uint8_t *)file + begin, bytes - begin, values);
    dims[0] = h.dims[0];
    dims[1] = h.dims[1];
    mem_free(header);
    return s;
}
