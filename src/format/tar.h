/*
 * tar.h - the files in a tar archive (POSIX ustar and pax, GNU), plain or gzipped.
 *
 * Nothing is written here: the caller reads the bytes of the files that it wants. An archive in
 * which a name is absolute or has a component ".." is rejected, because such a file would be
 * outside of the folder that it is unpacked in.
 */
#ifndef FORMAT_TAR_H
#define FORMAT_TAR_H

#include <stdbool.h>

#include "base/text.h"
#include "format/gzip_file.h"

struct tar {
    struct gzip_file file;
    struct text name;  /* of the current entry: "folder/file" */
    bool is_regular;   /* else a folder, a link or a device */
    int64_t bytes;     /* of the entry */
    int64_t left;      /* bytes of it that were not read */
    int64_t padding;   /* bytes after it, up to the next block */
    bool has_own_name; /* `name` is from a header before the entry's */
    int64_t own_bytes; /* so is its size; -1: it is not */
};

/* On failure nothing is open. */
enum status tar_open(struct tar *t, const char *path);
void tar_close(struct tar *t); /* may be called twice */

/* The next entry; *is_there is false at the end of the archive. */
enum status tar_next(struct tar *t, bool *is_there);

/* Bytes of the current entry, at most `bytes`; 0 at its end. */
enum status tar_read(struct tar *t, void *out, size_t bytes, size_t *got);

#endif
