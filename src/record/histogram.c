/*
 * histogram.c - see histogram.h.
 */
#include "record/histogram.h"

#include <math.h>

static void add_value(struct histogram *h, double value)
{
    h->min = h->count == 0 || value < h->min ? value : h->min;
    h->max = h->count == 0 || value > h->max ? value : h->max;
    h->count++;
    h->sum += value;
    h->sum_squares += value * value;
}

static int bin_of(const struct histogram *h, double value)
{
    const int bin = h->max > h->min ? (int)(h->bins * ((value - h->min) / (h->max - h->min))) : 0;

    return bin < h->bins ? bin : h->bins - 1;
}

void histogram_init(struct histogram *h, const float *values, int64_t count)
{
    *h = (struct histogram){0};
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            add_value(h, (double)values[i]);
    if (h->count == 0)
        return;
    h->bins = h->max > h->min ? HISTOGRAM_BINS : 1;
    for (int b = 0; b < h->bins; b++)
        h->limits[b] = h->min + (h->max - h->min) * (b + 1) / h->bins;
    h->limits[h->bins - 1] = h->max;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            h->counts[bin_of(h, (double)values[i])]++;
}
