/*
 * file_order.h - a random order of samples that lie in several files: of all together, or file by
 * file.
 *
 * File by file, the files keep their order and the samples of each are in random order. So a pass
 * reads one file after the other, and the pages of a file are used while they are in memory.
 */
#ifndef DATA_FILE_ORDER_H
#define DATA_FILE_ORDER_H

#include <stdint.h>

#include "base/rng.h"

/* Which samples lie in which file, by their numbers. A file may have none. */
struct sample_files {
    int64_t count; /* 0: not known, or all samples are one file */
    int64_t *ends; /* [count] ascending: the number after the last sample of each file */
};

/* Adds a file that ends before this sample. */
void sample_files_add(struct sample_files *f, int64_t end);
void sample_files_release(struct sample_files *f);

/*
 * Puts items into random order (rng_order), those of each file among themselves. Items of a file
 * must be together and files ascending, as in a list of ascending numbers; the result is such a
 * list again.
 */
void file_order(const struct rng *r, const struct sample_files *f, int64_t *items, int64_t count);

#endif
