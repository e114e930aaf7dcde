/*
 * planes_source.h - images of several files in planes (planes_file.h) as a source of samples.
 */
#ifndef DATA_PLANES_SOURCE_H
#define DATA_PLANES_SOURCE_H

#include "data/planes_file.h"
#include "data/sample_source.h"

/* Which image a sample is. */
struct planes_item {
    int32_t file, row;
};

/* Takes the files and the items (mem_free). */
struct planes_content {
    int64_t side;
    struct planes_file *files;
    int64_t file_count;
    struct planes_item *items;
    int64_t count;
};

struct sample_source *planes_source_new(const struct planes_content *content);

#endif
