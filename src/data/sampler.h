/*
 * sampler.h - mini-batches in random order without replacement; the last partial batch is kept.
 *
 * The order of an epoch is a function of (seed, epoch, sample number): a sampler is put anywhere in
 * a run by (epoch, batch) alone, which is all that a checkpoint holds of it.
 */
#ifndef DATA_SAMPLER_H
#define DATA_SAMPLER_H

#include <stdint.h>

struct sampler {
    uint64_t seed;
    int64_t count, batch_size;
    int64_t *order;       /* [count] numbers of samples in this epoch's order */
    int64_t *items;       /* [count] the samples, ascending */
    int64_t epoch, batch; /* the next batch is number `batch` of `epoch`, both from 0 */
};

void sampler_init(struct sampler *s, const int64_t *items, int64_t count, int64_t batch_size,
                  uint64_t seed);
void sampler_release(struct sampler *s);

int64_t sampler_batches(const struct sampler *s); /* per epoch */
void sampler_seek(struct sampler *s, int64_t epoch, int64_t batch);

/* The next batch: a pointer into the order, and its size. Goes on to the next epoch by itself. */
const int64_t *sampler_next(struct sampler *s, int64_t *size);

#endif
