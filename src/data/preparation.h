/*
 * preparation.h - from the number of a sample to its bytes as the network sees them: read from its
 * source, cropped, resized, mirrored.
 *
 * Samples that are in memory and are used as they are need none of this (gather.h).
 */
#ifndef DATA_PREPARATION_H
#define DATA_PREPARATION_H

#include "data/augment.h"
#include "data/broken_samples.h"
#include "data/dataset.h"

/* Which view of a sample: a random one for training, else the one for evaluation. */
struct sample_view {
    bool is_training;
    uint64_t seed;
    int64_t epoch;
};

/* How the samples of a data set are prepared. */
struct preparation {
    const struct dataset *dataset; /* borrowed */
    int64_t height, width;         /* of the result */
    bool augments;                 /* training views are random */
    struct augment training, evaluation;
    struct broken_samples *broken; /* borrowed; NULL: a sample that cannot be read is an error */
};

/* Whether samples of this part must be prepared, or are used as they are in memory. */
bool preparation_is_needed(const struct preparation *p, const struct samples *part,
                           bool is_training);

/* Memory of one thread, kept from sample to sample. A zeroed struct is empty. */
struct preparer {
    struct image image;
    struct resizer resizer;
    bool has_replaced; /* the last sample could not be read: another one is in its place */
};
void preparer_release(struct preparer *r);

struct sample_request {
    const struct samples *part;
    int64_t number;
    const struct sample_view *view;
};

/*
 * Writes out[height][width][channels]. A sample that cannot be read is replaced by the next one of
 * its class that can, as far as p->broken allows it. Thread-safe.
 */
enum status preparation_read(const struct preparation *p, const struct sample_request *q,
                             struct preparer *scratch, uint8_t *out);

#endif
