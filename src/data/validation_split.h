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

/* How samples are assigned to folds. */
enum fold_by {
    FOLD_BY_CONTIGUOUS, /* in the order of their numbers, as S000 */
    FOLD_BY_SHUFFLED,   /* in a random order */
    FOLD_BY_STRATIFIED, /* so that each fold has as many samples of each class, or one more */
};

/* Borrowed for the call. */
struct split_request {
    int64_t count;
    const int32_t *labels; /* [count]; NULL: the data have no classes */
    int64_t classes;       /* labels are in [0, classes) */
    double train_fraction, validation;
    int64_t folds, fold; /* 0 folds: none; fold is 1 to folds */
    enum fold_by fold_by;
    uint64_t seed;
};

/*
 * Keeps floor(train_fraction * count) samples chosen by (seed, sample number). Then either sets the
 * fraction `validation` of the kept aside (kept - floor((1 - validation) * kept), as S000's --val),
 * or divides the kept into folds, of which one validates. The first kept % folds of them have one
 * sample more than the others.
 */
enum status validation_split_init(struct validation_split *s, const struct split_request *q);
void validation_split_release(struct validation_split *s);

#endif
