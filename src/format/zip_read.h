/*
 * zip_read.h - the members of a .zip file in memory, as .npz and PyTorch's .pt files are: stored or
 * deflated, also above 4 GB (zip64). Writing is in zip.h.
 *
 * A stored member stays where it is in the file. Every member's checksum is verified when it is
 * read. Not here: encryption, other compressions, several disks, data before the first member.
 */
#ifndef FORMAT_ZIP_READ_H
#define FORMAT_ZIP_READ_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct zip_member {
    char *name;
    uint64_t bytes;        /* of what it holds */
    uint64_t packed_bytes; /* in the file */
    uint64_t offset;       /* of its header in the file */
    uint32_t crc;
    uint16_t method; /* 0: stored, 8: deflated */
};

struct zip_reader {
    char *name;
    const uint8_t *file; /* borrowed */
    uint64_t bytes;
    uint64_t directory; /* offset: members end before it */
    int64_t count;
    struct zip_member *members;
};

/* Reads the directory. Fails with a message that begins with the name; then z is empty. */
enum status zip_reader_open(struct zip_reader *z, const char *name, const void *file, size_t bytes);
void zip_reader_close(struct zip_reader *z);

/* NULL: there is none. */
const struct zip_member *zip_reader_find(const struct zip_reader *z, const char *name);

struct zip_content {
    const uint8_t *data; /* in the file, or the copy */
    size_t bytes;
    uint8_t *copy; /* owned; NULL for a stored member */
};

/* What a member holds. Fails when it is damaged; then c is empty. */
enum status zip_reader_get(const struct zip_reader *z, const struct zip_member *m,
                           struct zip_content *c);
void zip_content_release(struct zip_content *c);

#endif
