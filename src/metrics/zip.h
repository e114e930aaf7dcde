/*
 * zip.h - a .zip file of entries as they are, without compression: what .npz and PyTorch's .pt are.
 *
 * Data begin at multiples of 64 bytes, and there is no date in it: equal entries are equal files.
 * Not here: files above 4 GB.
 */
#ifndef METRICS_ZIP_H
#define METRICS_ZIP_H

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
