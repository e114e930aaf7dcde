/*
 * file_map.h - a file as read-only memory, without reading it: the system reads pages when they are
 * used, and processes of one machine share them.
 *
 * If the file becomes shorter while it is mapped, or its disk fails, a read of what is missing ends
 * the program with a message and the exit code of STATUS_IO.
 */
#ifndef BASE_FILE_MAP_H
#define BASE_FILE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct file_map {
    char *path;
    const uint8_t *data; /* never NULL, also for an empty file */
    size_t bytes;
    void *memory; /* what is mapped; NULL: nothing */
};

/* A regular file. Fails with a message that begins with the path; then m is empty. */
enum status file_map_open(struct file_map *m, const char *path);
void file_map_close(struct file_map *m); /* nothing for a zeroed struct */

/* How the file will be read, for the system's read-ahead. Advice never fails. */
enum file_map_use { FILE_MAP_NORMAL, FILE_MAP_SEQUENTIAL, FILE_MAP_RANDOM };
void file_map_advise(const struct file_map *m, enum file_map_use use);

/* These bytes are needed soon: the system may begin to read them. */
void file_map_prefetch(const struct file_map *m, size_t offset, size_t bytes);

#endif
