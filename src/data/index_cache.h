/*
 * index_cache.h - the names of pictures of large folders, kept from run to run in a file of the
 * user's data folder, cache/.
 *
 * The names of a class are used again if its folder is the same and has not changed since: adding,
 * removing or renaming a file changes the times of its folder. A cache that is missing, damaged or
 * of another folder is an empty one. No failure is an error: names are then read from the folders.
 *
 * Layout (numbers as the machine has them):
 *
 *     header   64 bytes
 *     classes  [class_count] time stamp of the folder, bytes of the names of its pictures
 *     text     the folder, the folder inside those of classes, the names of the classes, the names
 *              of the pictures by class; each with its 0
 */
#ifndef DATA_INDEX_CACHE_H
#define DATA_INDEX_CACHE_H

#include "data/image_index.h"

/* Equal for the same folder with the same names in it. The time of change cannot be set by users,
 * as programs that copy folders set the other one. */
struct folder_stamp {
    int64_t inode;
    int64_t modified_seconds, modified_nanoseconds;
    int64_t changed_seconds, changed_nanoseconds;
};

/* Of a folder, before its names are read. All 0: it cannot be read. */
struct folder_stamp folder_stamp_of(const char *folder);

struct cached_class;

/* What the file has, while an index is read. */
struct index_cache {
    char *path;     /* NULL: there is no place for it */
    double started; /* Unix time */
    struct text file;
    const struct cached_class *classes; /* [class_count] in the file */
    int64_t class_count, used;
    int64_t next; /* class that is looked at, its name and those of its pictures */
    const char *name, *list;
};

void index_cache_open(struct index_cache *c, const struct image_index *x);
void index_cache_close(struct index_cache *c);

/* The names of the pictures of a class, each with its 0, borrowed; NULL: they must be read. Classes
 * are asked for in the order of their names. */
const char *index_cache_find(struct index_cache *c, const char *name, const struct folder_stamp *at,
                             int64_t *bytes);

/*
 * Writes the file again, unless it has what was read. stamps[x->class_count]. False: it was not
 * written, because there is no place or a folder has changed just now: file systems measure time in
 * steps, and a change in the same step would not be noticed.
 */
bool index_cache_update(const struct index_cache *c, const struct image_index *x,
                        const struct folder_stamp *stamps);

#endif
