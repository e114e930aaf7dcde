/*
 * damage.h - a file with every byte changed and cut everywhere: a reader accepts it or rejects it
 * with a message that begins with the name "damaged"; a sanitizer sees a read behind its end.
 */
#ifndef TESTS_DAMAGE_H
#define TESTS_DAMAGE_H

#include "base/mem.h"
#include "test.h"

/* Reads, and releases what it has read. */
typedef enum status (*damage_reader)(const char *name, const uint8_t *file, size_t bytes);

static inline bool damage_read(damage_reader read, const uint8_t *file, size_t bytes)
{
    const enum status s = read("damaged", file, bytes);

    if (s != STATUS_OK)
        EXPECT(strncmp(status_message(), "damaged:", 8) == 0);
    return s == STATUS_OK;
}

/* How many of the shorter files are accepted. */
static inline int64_t damage_cut(damage_reader read, const uint8_t *file, size_t bytes)
{
    int64_t accepted = 0;

    for (size_t length = 0; length < bytes; length++) {
        uint8_t *cut = MEM_NEW_N(uint8_t, (int64_t)length); /* exactly so long */

        memcpy(cut, file, length);
        accepted += damage_read(read, cut, length);
        mem_free(cut);
    }
    return accepted;
}

/* All other 255 values of each of the first `header` bytes, and all flips of one bit elsewhere. How
 * many are accepted. */
static inline int64_t damage_bytes(damage_reader read, const uint8_t *file, size_t bytes,
                                   size_t header)
{
    uint8_t *copy = MEM_NEW_N(uint8_t, (int64_t)bytes);
    int64_t accepted = 0;

    memcpy(copy, file, bytes);
    for (size_t i = 0; i < bytes; i++) {
        const bool is_header = i < header;

        for (int k = is_header ? 1 : 0; k < (is_header ? 256 : 8); k++) {
            copy[i] = (uint8_t)(file[i] ^ (is_header ? k : 1 << k));
            accepted += damage_read(read, copy, bytes);
        }
        copy[i] = file[i];
    }
    mem_free(copy);
    return accepted;
}

#endif
