/*
 * record_log.h - files of checksummed records that only grow: snapshots.bin, maps.bin,
 * landscape.partial (docs/reference/formats.md).
 *
 *     header   magic, version, the rest of a fixed part, a part of any size | checksum
 *     records  of one size, each                                       body | checksum | zeros
 *
 * A checksum is the CRC-32C of all bytes of the header or record before it. All numbers are
 * little-endian. A killed program keeps what it has written: readers leave out an incomplete last
 * record, and the next writer cuts it off.
 *
 * Not here: what is in headers and records (snapshots.c, maps.c, partial_losses.c).
 */
#ifndef RECORD_RECORD_LOG_H
#define RECORD_RECORD_LOG_H

#include "base/file.h"

/* A fixed part begins with as many bytes for magic and version, which are set and checked here. */
enum { RECORD_MARK_BYTES = 12 };

struct record_sizes {
    int64_t more;   /* bytes of the header after its fixed part */
    int64_t record; /* with its checksum and the zeros after it */
};

/* A kind of file. */
struct record_format {
    const char *magic; /* 8 characters */
    uint32_t version;
    const char *content; /* for messages: "snapshots" */
    const char *record;  /* and one of them: "snapshot" */
    const char *missing; /* why a file may be missing */
    size_t fixed_bytes;  /* of the header, without its checksum */
    size_t zeros;        /* bytes after the checksum of a record */

    /* What a fixed part says about sizes; false: it cannot be one. */
    bool (*sizes)(const void *fixed, struct record_sizes *s);
};

struct record_header {
    const struct record_format *format;
    const void *fixed;
    const void *more; /* NULL: none */
};

/* --- writing --- */

struct record_log {
    struct file_log file;
    const struct record_format *format;
    int64_t record_bytes;
    int64_t kept; /* records that the file had when it was opened */
    char *record; /* room for one */
};

/* Without records; a file that exists is replaced. */
enum status record_log_create(struct record_log *l, const char *path,
                              const struct record_header *h);

/* Whether a record stays; called in the order of the file, up to the first false. */
typedef bool record_keeps(void *context, const void *record);

/* Cuts a file with the same header before the first record that is incomplete, damaged or not
 * kept. A file that is missing or has another header is created. */
enum status record_log_resume(struct record_log *l, const char *path, const struct record_header *h,
                              record_keeps *keeps, void *context);

/* Of records that begin with their round (int64_t). keep_round as with recorder_open: -1 creates,
 * otherwise records of later rounds are cut off. */
enum status record_log_open_rounds(struct record_log *l, const char *path,
                                   const struct record_header *h, int64_t keep_round);

/* Sets the checksum of a record[record_bytes] and appends it in one write. Threads may call it at
 * once. After a failure the file may end with a part of the record: nothing more may be added. */
enum status record_log_add(struct record_log *l, void *record);
void record_log_close(struct record_log *l); /* also of one that was never opened */

/* --- reading --- */

struct record_reader {
    const struct record_format *format;
    char *path;
    char *more;           /* of the header, after its fixed part */
    int64_t header_bytes; /* before the first record */
    int64_t record_bytes;
    int64_t count; /* complete records */
};

/* fixed[fixed_bytes] of the header. An error if the file is missing or its header is damaged. */
enum status record_reader_open(struct record_reader *f, const char *path,
                               const struct record_format *format, void *fixed);
void record_reader_release(struct record_reader *f); /* may be called twice */

/* record[record_bytes] of number i. A wrong checksum is an error that names it and its place. */
enum status record_reader_read(const struct record_reader *f, int64_t i, void *record);

#endif
