/*
 * folder_source.h - pictures of an index (image_index.h) as a source of samples, decoded when they
 * are needed.
 */
#ifndef DATA_FOLDER_SOURCE_H
#define DATA_FOLDER_SOURCE_H

#include "data/image_index.h"
#include "data/sample_source.h"

/* Sample i is picture items[i] of the index, which is borrowed; takes the items (mem_free). */
struct sample_source *folder_source_new(const struct image_index *x, int64_t *items, int64_t count);

#endif
