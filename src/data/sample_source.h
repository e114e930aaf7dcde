/*
 * sample_source.h - samples that are not in memory: mapped files, or pictures that are decoded when
 * they are needed.
 *
 * A source reads one sample at a time as RGB bytes of any size. What the model sees of it is made
 * by data/preparation.h; who reads it and when, by data/loader.h.
 */
#ifndef DATA_SAMPLE_SOURCE_H
#define DATA_SAMPLE_SOURCE_H

#include "base/status.h"
#include "format/image.h"

struct sample_source;

/*
 * All functions are thread-safe and change nothing that others see.
 *
 * read: fills the image, whose memory is reused; the error names the file.
 * will_need (optional: nothing is asked for): asks the system to fetch the sample from the disk.
 * mean (optional: there is none): the mean image that belongs to the sample, [height][width][3] in
 * units of bytes, borrowed.
 * path: of the file that has the sample (mem_free).
 * fingerprint: a checksum of which samples there are, continued from `crc`. It does not read all of
 * them.
 */
struct sample_source_ops {
    enum status (*read)(const struct sample_source *s, int64_t number, struct image *out);
    void (*will_need)(const struct sample_source *s, int64_t number);
    const float *(*mean)(const struct sample_source *s, int64_t number);
    char *(*path)(const struct sample_source *s, int64_t number);
    uint32_t (*fingerprint)(const struct sample_source *s, uint32_t crc);
    void (*free)(struct sample_source *s);
};

/* The common part. An implementation embeds it as its FIRST member. */
struct sample_source {
    const struct sample_source_ops *ops;
    int64_t height, width; /* of every sample; 0: they differ */
};

enum status sample_source_read(const struct sample_source *s, int64_t number, struct image *out);
void sample_source_will_need(const struct sample_source *s, int64_t number);
const float *sample_source_mean(const struct sample_source *s, int64_t number); /* or NULL */
char *sample_source_path(const struct sample_source *s, int64_t number);        /* mem_free */
uint32_t sample_source_fingerprint(const struct sample_source *s, uint32_t crc);
void sample_source_free(struct sample_source *s); /* accepts NULL */

#endif
