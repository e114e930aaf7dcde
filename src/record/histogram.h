/*
 * histogram.h - how the values of a vector are distributed, in bins of equal width.
 */
#ifndef RECORD_HISTOGRAM_H
#define RECORD_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_BINS = 64 };

struct histogram {
    double min, max, count, sum, sum_squares; /* of the finite values */
    int bins;                                 /* 0: there is no finite value */
    double limits[HISTOGRAM_BINS];            /* upper ends; the last is max */
    double counts[HISTOGRAM_BINS];
};

/* Of values[count]; NaN and infinity are left out. */
void histogram_init(struct histogram *h, const float *values, int64_t count);

#endif
