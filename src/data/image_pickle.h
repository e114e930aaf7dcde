/*
 * image_pickle.h - a pickle with images and labels, as CIFAR's Python version and ImageNet32 have
 * them: a dict of `data`, uint8 [n][3 side side] in planes of red, green, blue, and of a list of
 * labels.
 */
#ifndef DATA_IMAGE_PICKLE_H
#define DATA_IMAGE_PICKLE_H

#include "base/file_map.h"
#include "format/pickle.h"

struct image_pickle_request {
    const char *path;
    int64_t side;
    const char *labels; /* the key of the labels */
    int64_t first_label, classes;
};

struct image_pickle {
    struct file_map map;
    struct pickle pickle;
    const struct file_array *data;
    bool is_in_file; /* the bytes of data are in the file, in order */
    int64_t count;
    int32_t *labels; /* [count] from 0 on */
};

/* Fails with a message that begins with the path; then x is empty. */
enum status image_pickle_open(struct image_pickle *x, const struct image_pickle_request *q);
void image_pickle_close(struct image_pickle *x); /* nothing for a zeroed struct */

#endif
