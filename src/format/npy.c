/*
 * npy.c - see npy.h. The format is that of numpy.lib.format, version 1.0.
 */
#include "format/npy.h"

#include <string.h>

#include "base/check.h"
#include "base/file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are written as they lie");

enum { PREFIX_BYTES = 10, ALIGNMENT = 64 }; /* the prefix: magic, version, length of the header */

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [NPY_F32] = {"<f4", 4},
      [NPY_F64] = {"<f8", 8},
      [NPY_I64] = {"<i8", 8},
    [NPY_U8] = {"|u1", 1},
      [NPY_BOOL] = {"|b1", 1},
};

static void make_header(struct text *header, enum npy_type type, int rank, const int64_t *dims)
{
    text_addf(header, "{'descr': '%s', 'fortran_order': False, 'shape': (", types[type].name);
    for (int i = 0; i < rank; i++)
        text_addf(header, "%lld,%s", (long long)dims[i], i + 1 < rank ? " " : "");
    text_add(header, "), }");
    while ((PREFIX_BYTES + header->length + 1) % ALIGNMENT != 0)
        text_add(header, " ");
    text_add(header, "\n");
}

static size_t data_bytes(enum npy_type type, int rank, const int64_t *dims)
{
    size_t bytes = types[type].size;

    CHECK(rank >= 0 && rank <= NPY_RANK_MAX);
    for (int i = 0; i < rank; i++)
        CHECK(dims[i] >= 0 && !__builtin_mul_overflow(bytes, (size_t)dims[i], &bytes));
    return bytes;
}

void npy_add_header(struct text *out, enum npy_type type, int rank, const int64_t *dims)
{
    static const char magic_and_version[8] = "\x93NUMPY\x01\x00";
    struct text header = {0};

    make_header(&header, type, rank, dims);
    const char length[2] = {(char)(header.length & 0xff), (char)(header.length >> 8)};
    text_add_n(out, magic_and_version, sizeof magic_and_version);
    text_add_n(out, length, sizeof length);
    text_add_n(out, header.data, header.length);
    text_release(&header);
}

void npy_add(struct text *out, enum npy_type type, int rank, const int64_t *dims, const void *data)
{
    const size_t bytes = data_bytes(type, rank, dims);

    npy_add_header(out, type, rank, dims);
    if (bytes > 0)
        text_add_n(out, data, bytes);
}

enum status npy_write(const char *path, enum npy_type type, int rank, const int64_t *dims,
                      const void *data)
{
    struct text file = {0};
    struct file_writer w;

    npy_add(&file, type, rank, dims, data);
    enum status s = file_writer_open(&w, path);
    if (s == STATUS_OK)
        s = file_writer_close(&w, file_writer_put(&w, file.data, file.length));
    text_release(&file);
    return s;
}

enum status npy_read_f64(const char *path, const int64_t dims[2], double *values)
{
    const size_t bytes = data_bytes(NPY_F64, 2, dims);
    struct text expected = {0}, file = {0};

    npy_add_header(&expected, NPY_F64, 2, dims);
    enum status s = file_read(path, expected.length + bytes, &file);
    if (s == STATUS_OK && (file.length != expected.length + bytes ||
                           memcmp(file.data, expected.data, expected.length) != 0))
        s = FAIL(STATUS_BAD_INPUT, "%s: is not an array of %lld x %lld numbers", path,
                 (long long)dims[0], (long long)dims[1]);
    if (s == STATUS_OK && bytes > 0)
        memcpy(values, file.data + expected.length, bytes);
    text_release(&expected);
    text_release(&file);
    return s;
}
