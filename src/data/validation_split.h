/*
 * validation_split.h - which samples of the training part are trained on, and which validate.
 */
#ifndef DATA_VALIDATION_SPLIT_H
#define DATA_VALIDATION_SPLIT_H

#include <stdint.h>

#include "base/status.h"

struct validation_split {
    int64_t train_count, validation_count;
    int64_t *train;      /* numbers of samples, ascending */
    int64_t *validation; /* ascending; count 0: none */
};

/*
 * Keeps floor(train_fraction * count) samples chosen by (seed, sample number), then sets the
 * fraction `validation` of the kept aside (kept - floor((1 - validation) * kept), as S000's --val).
 */
enum status validation_split_init(struct validation_split *s, int64_t count, double train_fraction,
                                  double validation, uint64_t seed);
void validation_split_release(struct validation_split *s);

#endif
