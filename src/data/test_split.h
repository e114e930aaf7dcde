/*
 * test_split.h - a test part for data that have none: some of the training samples.
 */
#ifndef DATA_TEST_SPLIT_H
#define DATA_TEST_SPLIT_H

#include "data/dataset.h"

/*
 * Moves the fraction of each class, or of all samples if there are no classes, from the training
 * part to the test part, which is empty. At least one sample of each class tests, unless it is the
 * only one. Which, depends on the seed and on the numbers of the samples. That nothing is left to
 * train or to test is an error, which begins with the data set's path.
 */
enum status test_split(struct dataset *d, double fraction, uint64_t seed);

/* Which samples that would be: sets tests[i] of them. labels may be NULL: there are no classes. */
struct test_choice {
    const int32_t *labels;
    int64_t count, classes;
    double fraction;
    uint64_t seed;
};
void test_split_choose(const struct test_choice *c, bool *tests);

#endif
