/*
 * planes_cache.h - the decoded content of a pickle of images, as a file that can be mapped.
 *
 * Layout: a header of 64 bytes, the labels, the mean image if there is one, the images.
 */
#ifndef DATA_PLANES_CACHE_H
#define DATA_PLANES_CACHE_H

#include "data/planes_file.h"

/* Sets map, data, count, labels and mean from the cache of q->path. *found: it is there, complete
 * and of the file as it is now. */
enum status planes_cache_open(struct planes_file *f, const struct image_pickle_request *q,
                              bool *found);

/* Writes the cache of a file that was decoded, with its labels and its mean. False: there is no
 * place for it; why is in status_message. */
bool planes_cache_write(const struct planes_file *f, const struct image_pickle_request *q);

#endif
