/*
 * idx.h - the idx format of MNIST and its kin: a block of bytes with its dimensions.
 *
 * Layout, big-endian: 0x00 0x00 0x08 RANK, RANK sizes of 32 bits, then the bytes. Plain or gzipped.
 */
#ifndef DATA_IDX_H
#define DATA_IDX_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { IDX_LABELS = 1, IDX_IMAGES = 3, IDX_RANK_MAX = 3, IDX_SIDE_MAX = 4096 };

struct idx {
    int64_t size[IDX_RANK_MAX]; /* count, height, width; 1 beyond the rank */
    uint8_t *bytes;             /* [count][height][width] */
};

/* `rank` is IDX_LABELS or IDX_IMAGES; a file of the other kind is refused. */
enum status idx_load(const char *path, int rank, struct idx *out);

/* The sizes alone; that the file is long enough for them is checked as far as its length shows. */
enum status idx_load_sizes(const char *path, int rank, struct idx *out);
void idx_release(struct idx *x);

/* The file "train-images-idx3-ubyte" in a folder, also with ".idx3-" in its name or gzipped (.gz):
 * mirrors differ in this. mem_free; NULL when there is none. */
char *idx_find(const char *folder, const char *name);

/* The same from memory; `name` is what messages call it. */
struct idx_file {
    const char *name;
    const uint8_t *data;
    size_t length;
};
enum status idx_parse(const struct idx_file *file, int rank, struct idx *out);

/* Where sample i's bytes start in the file's content, for messages. */
int64_t idx_offset(const struct idx *x, int rank, int64_t i);

#endif
