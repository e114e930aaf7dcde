/*
 * npy.h - an array as a .npy file of NumPy: writes version 1.0, reads versions 1 to 3.
 *
 * Magic, version, the length of a header, the header (a Python dict, padded so that the data begins
 * at a multiple of 64 bytes), then the values, little-endian, in C order. An .npz file is a zip
 * file of these (zip.h to write, npz.h to read).
 */
#ifndef FORMAT_NPY_H
#define FORMAT_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "format/file_array.h"

enum npy_type { NPY_F32, NPY_F64, NPY_I64, NPY_U8, NPY_BOOL };

enum { NPY_RANK_MAX = FILE_ARRAY_RANK_MAX };

/* Appends what comes before the values. */
void npy_add_header(struct text *out, enum npy_type type, int rank, const int64_t *dims);

/* Appends the whole file to `out`. data [dims[0]]...[dims[rank - 1]]; rank 0 is one value. */
void npy_add(struct text *out, enum npy_type type, int rank, const int64_t *dims, const void *data);

/* Reads a matrix [dims[0]][dims[1]] of NPY_F64 that was written here; any other file is an error.
 */
enum status npy_read_f64(const char *path, const int64_t dims[2], double *values);

/*
 * An array from the bytes of a file that any program has written: all types of element.h, big- and
 * little-endian, in C or Fortran order. Its data stays in the file. Fails with a message that
 * begins with `name`; then a is empty.
 */
enum status npy_decode(const char *name, const void *file, size_t bytes, struct file_array *a);

/* A matrix of float64 from such a file. values [dims[0]][dims[1]], mem_free; NULL on failure. */
enum status npy_decode_f64(const char *name, const void *file, size_t bytes, int64_t dims[2],
                           double **values);

#endif
