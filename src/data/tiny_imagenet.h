/*
 * tiny_imagenet.h - what is special in the folders of Tiny ImageNet: pictures of a class are in
 * <class>/images, and those of val/images have their classes in val/val_annotations.txt.
 */
#ifndef DATA_TINY_IMAGENET_H
#define DATA_TINY_IMAGENET_H

#include "data/image_index.h"

/* Whether the first class of a folder has its pictures in a folder `images`. */
bool tiny_imagenet_is(const char *train);
bool tiny_imagenet_has_annotations(const char *test);

/* The pictures of val/images, with the classes of the training part. */
enum status tiny_imagenet_read_test(struct image_index *x, const char *test,
                                    const struct image_index *train);

#endif
