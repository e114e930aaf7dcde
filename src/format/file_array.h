/*
 * file_array.h - an array as it is in a file: type, shape, order, and where its bytes are.
 *
 * The bytes are not aligned, and may be in the other byte order. The functions here convert any
 * range of elements. They count elements in C order (the last index is the fastest), whatever order
 * the file has.
 */
#ifndef FORMAT_FILE_ARRAY_H
#define FORMAT_FILE_ARRAY_H

#include "base/status.h"
#include "format/element.h"

enum { FILE_ARRAY_RANK_MAX = 8 };

struct file_array {
    struct element_type type;
    int rank; /* 0: one value */
    int64_t dims[FILE_ARRAY_RANK_MAX];
    int64_t steps[FILE_ARRAY_RANK_MAX]; /* elements from one index of a dimension to the next */
    bool is_c_order;                    /* steps are those of C order */
    int64_t count;                      /* of elements */
    const uint8_t *data;
    size_t bytes;
};

/* After type, rank and dims: sets the rest, in C order. False when they do not need exactly so many
 * bytes. */
bool file_array_set_data(struct file_array *a, const uint8_t *data, size_t bytes);

/* Afterwards: the data is in Fortran order (the first index is the fastest). */
void file_array_set_fortran(struct file_array *a);

/* Dimension i becomes what dimension axes[i] was. False, and no change: not a permutation. */
bool file_array_transpose(struct file_array *a, const int64_t *axes);

/* The elements follow each other in C order as numbers of this machine of that kind. */
bool file_array_is_plain(const struct file_array *a, enum element_kind kind);

/* out [count]: elements first, first + 1, ... */
void file_array_to_floats(const struct file_array *a, int64_t first, int64_t count, float *out);
void file_array_to_doubles(const struct file_array *a, int64_t first, int64_t count, double *out);

/* The same; a value that is not a whole number, or not from 0 to 255, is an error, whose message
 * begins with `name`. */
enum status file_array_to_ints(const struct file_array *a, const char *name, int64_t first,
                               int64_t count, int64_t *out);
enum status file_array_to_bytes(const struct file_array *a, const char *name, int64_t first,
                                int64_t count, uint8_t *out);

#endif
