/*
 * imagenet_names.h - names of the classes of ImageNet32 and ImageNet64, from one of two files that
 * people keep with them.
 *
 * map_clsloc.txt, "n02119789 1 kit_fox", has the labels of the data set. The other,
 * imagenet1000_clsidx_to_labels.txt, is a dict whose keys are the places of the classes among
 * ImageNet's folders, which is another order: 278: 'kit fox'.
 */
#ifndef DATA_IMAGENET_NAMES_H
#define DATA_IMAGENET_NAMES_H

#include <stdint.h>

#include "base/status.h"

enum { IMAGENET_CLASSES = 1000 };

/* The place among ImageNet's folders, by their names, of the class with each label of the published
 * files, both from 0. */
extern const int16_t imagenet_order[IMAGENET_CLASSES];

/*
 * Fills names[classes] (mem_free each) of the first labels: from map_clsloc.txt in the folder or
 * above it, else from imagenet1000_clsidx_to_labels.txt there, else numbers from 1 on. The error
 * names the file and the line.
 */
enum status imagenet_names_read(const char *folder, char **names, int64_t classes);

#endif
