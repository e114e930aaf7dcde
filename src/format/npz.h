/*
 * npz.h - arrays of an .npz file of NumPy, which is a zip file (zip_read.h) of .npy files.
 */
#ifndef FORMAT_NPZ_H
#define FORMAT_NPZ_H

#include "format/file_array.h"
#include "format/zip_read.h"

struct npz_array {
    struct file_array array;    /* in the file if it is stored there, else in `content` */
    struct zip_content content; /* owned */
};

/* The array `name`, of member name.npy; that there is none is an error, which names those that
 * there are. On failure a is empty. */
enum status npz_get(const struct zip_reader *z, const char *name, struct npz_array *a);
void npz_array_release(struct npz_array *a);

#endif
