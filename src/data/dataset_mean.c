/*
 * dataset_mean.c - see dataset_mean.h.
 */
#include "data/dataset_mean.h"

#include <math.h>
#include <string.h>

/* Means of sets of so many images vary less than this; those of the sets differ by more. */
static const double NEAR = 0.01, FAR = 0.03;
enum { IMAGES_MIN = 1000 };

/* Over all pixels and channels, in [0, 1]. */
static double measure(const struct dataset *d)
{
    const int64_t count = d->train.count * d->height * d->width * d->channels;
    int64_t sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += d->train.bytes[i];
    return (double)sum / (double)count / 255.0;
}

/* Another set of such images that has this mean; NULL: none. */
static const struct dataset_ops *find_other(const struct dataset_ops *ops, double mean)
{
    for (int64_t i = 0; dataset_registry.entries[i] != NULL; i++) {
        const struct dataset_ops *o =
            (const struct dataset_ops *)(const void *)dataset_registry.entries[i];

        if (o != ops && o->mean > 0 && o->height == ops->height && o->width == ops->width &&
            o->channels == ops->channels && fabs(o->mean - mean) < NEAR)
            return o;
    }
    return NULL;
}

void dataset_mean_doubt_of(const struct dataset_ops *ops, int64_t count, double mean,
                           struct text *doubt)
{
    const double off = fabs(mean - ops->mean);
    const struct dataset_ops *other =
        off > FAR && count >= IMAGES_MIN ? find_other(ops, mean) : NULL;

    if (ops->mean <= 0 || (other == NULL && (count != ops->train_count || off < NEAR)))
        return;
    text_addf(doubt, "the mean of the pixels is %.4f, and that of %s is %.4f", mean,
              ops->entry.name, ops->mean);
    if (other != NULL)
        text_addf(doubt, "; these seem to be the files of %s (%.4f)", other->entry.name,
                  other->mean);
    else
        text_add(doubt, "; these seem to be other files");
}

void dataset_mean_doubt(const struct dataset *d, struct text *doubt)
{
    if (d->ops->mean > 0 && d->train.bytes != NULL)
        dataset_mean_doubt_of(d->ops, d->train.count, measure(d), doubt);
}
