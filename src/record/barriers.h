/*
 * barriers.h - losses on the lines between models, and the barriers between them, as files:
 * between.json and between.npy (docs/reference/formats.md).
 */
#ifndef RECORD_BARRIERS_H
#define RECORD_BARRIERS_H

#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

/* Pairs are (0,1), (0,2), ..., (1,2), ... */
struct barriers {
    char *data;       /* what the loss is of: "1000 test samples of mnist" */
    int recalibrated; /* batches for BatchNorm's statistics at every point; 0: there are none */
    int64_t model_count, pair_count;
    char **names;   /* [model_count] */
    int64_t points; /* on each line, with both ends */
    double *losses; /* [pair_count][points] */
    double *matrix; /* [model_count][model_count]; NaN: a loss is not finite */
};

void barriers_release(struct barriers *b);

/*
 * Sets the matrix: the highest rise of the loss on a line above the straight line between the
 * losses of its ends, which is at least 0.
 */
void barriers_set_matrix(struct barriers *b);

void barriers_to_json(const struct barriers *b, struct json *j);

/* Both files in a folder. */
enum status barriers_write(const struct barriers *b, const char *folder);

#endif
