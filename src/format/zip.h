/*
 * zip.h - writes a .zip file whose entries are not compressed, as .npz and PyTorch's .pt files are.
 *
 * The data of an entry begins at a multiple of 64 bytes. There are no dates: equal entries are
 * equal files. Not here: files above 4 GB (zip64), and reading (zip_read.h).
 */
#ifndef FORMAT_ZIP_H
#define FORMAT_ZIP_H

#include "base/file.h"

struct zip_entry;

struct zip {
    struct file_writer out;
    uint64_t offset; /* bytes so far */
    int64_t count, capacity;
    struct zip_entry *entries;
};

enum status zip_open(struct zip *z, const char *path);
enum status zip_add(struct zip *z, const char *name, const void *data, size_t bytes);

/* Writes the directory and puts the file in its place when `body` is STATUS_OK; else removes it. */
enum status zip_close(struct zip *z, enum status body);

#endif
