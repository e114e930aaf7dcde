/*
 * planes_file.h - one file of ImageNet32 or ImageNet64: images in planes that stay on the disk,
 * labels and the mean image in memory.
 *
 * The images are mapped where the pickle has them as they are. A pickle of protocol 2 that Python 3
 * wrote has them as text: they are decoded once into a file of the user's data folder, cache/,
 * which is mapped instead. It is made again if size or time of the pickle have changed.
 */
#ifndef DATA_PLANES_FILE_H
#define DATA_PLANES_FILE_H

#include "data/image_pickle.h"

struct planes_file {
    char *path;
    struct image_pickle decoded; /* only where there is no place for a cache */
    struct file_map map;
    const uint8_t *data; /* [count][3][side][side] */
    int64_t count;
    int32_t *labels; /* [count] */
    float *mean;     /* [side][side][3] in units of bytes; NULL: it has none */
};

/* Fails with a message that begins with the path; then f is empty. */
enum status planes_file_open(struct planes_file *f, const struct image_pickle_request *q);
void planes_file_close(struct planes_file *f); /* nothing for a zeroed struct */

#endif
