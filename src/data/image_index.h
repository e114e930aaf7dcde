/*
 * image_index.h - the pictures of a folder with a folder for each class, by class and name.
 *
 * Files whose names end in .jpg, .jpeg or .png, in any case of letters, are pictures; others, and
 * names that begin with a dot, are left out. Classes and files are sorted by their bytes, so the
 * same folder gives the same numbers everywhere.
 */
#ifndef DATA_IMAGE_INDEX_H
#define DATA_IMAGE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct image_index {
    char *folder;
    char *inner;  /* folder of the pictures inside that of a class ("images"), or "" */
    bool is_flat; /* the pictures of all classes are in `inner` of the folder */
    char **names; /* [class_count] of the classes */
    int64_t class_count;
    int64_t count;
    int32_t *labels;  /* [count], ascending */
    int64_t *starts;  /* [count] where each file name begins in `text` */
    struct text text; /* file names, each with its 0 */
};

/* The names of so many pictures are kept for the next time (index_cache.h). */
enum { IMAGE_INDEX_KEPT = 10000 };

/* On failure, the index is empty. A class without pictures is an error that names it. */
enum status image_index_read(struct image_index *x, const char *folder, const char *inner);
void image_index_release(struct image_index *x);

/* An empty index with the classes of another, whose pictures are all in folder/inner; and one more
 * picture of an index, of the same class as the one before it or of a later one. */
void image_index_init_flat(struct image_index *x, const char *folder, const char *inner,
                           const struct image_index *classes);
void image_index_add(struct image_index *x, int32_t label, const char *name);

/* The file name of picture i, borrowed, and its path; mem_free. */
const char *image_index_name(const struct image_index *x, int64_t i);
char *image_index_path(const struct image_index *x, int64_t i);

#endif
