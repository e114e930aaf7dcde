/*
 * sampler.h - mini-batches in random order without replacement; the last partial batch is kept.
 *
 * The order of an epoch is a function of (seed, epoch, sample number): a sampler is put anywhere in
 * a run by (epoch, batch) alone, which is all that a checkpoint holds of it. Who visits its samples
 * several times in an epoch does so in passes, each with an order of its own.
 *
 * File by file (file_order.h), the samples of a file come together, in an order of their own.
 *
 * A worker's sampler visits its part of a partition. Parts that are dealt once are visited in the
 * order that the samples have in the whole set's order of the epoch. Workers may have different
 * numbers of batches; partition_batches tells the most.
 */
#ifndef DATA_SAMPLER_H
#define DATA_SAMPLER_H

#include <stdint.h>

#include "data/partition.h"

struct sampler {
    uint64_t seed; /* of the order: the run's, or the worker's where orders are its own */
    int64_t count, batch_size;
    int64_t *order; /* [count] numbers of samples in this epoch's order */
    const int64_t *
        items; /* [count] the samples, ascending; unused where they are made again for each epoch */
    struct sample_files files;  /* borrowed; none: the order is one of all samples */
    struct dealt_order *dealt;  /* of a partition that is made again for each epoch; else NULL */
    int64_t first, step;        /* order takes first, first + step, ... of the dealt order */
    int64_t *copy;              /* owns the items; NULL: they are a partition's */
    int64_t epoch, pass, batch; /* the next batch is number `batch` of this pass; all from 0 */
};

/* In one random order of all samples. */
void sampler_init(struct sampler *s, const int64_t *items, int64_t count, int64_t batch_size,
                  uint64_t seed);

/* What to visit as one worker of a partition, which is borrowed until sampler_release; file by
 * file if the partition has files. */
struct sampler_part {
    const struct partition *partition;
    int worker;
};
void sampler_init_part(struct sampler *s, struct sampler_part part, int64_t batch_size,
                       uint64_t seed);
void sampler_release(struct sampler *s);

int64_t sampler_batches(const struct sampler *s);                   /* per epoch */
void sampler_seek(struct sampler *s, int64_t epoch, int64_t batch); /* in the first pass */
void sampler_seek_pass(struct sampler *s, int64_t epoch, int64_t pass, int64_t batch);

/* What stands for the run's seed in a pass: the seed itself in the first. */
uint64_t sampler_pass_seed(uint64_t seed, int64_t pass);

/* The next batch: a pointer into the order, and its size. Goes on to the next epoch by itself. */
const int64_t *sampler_next(struct sampler *s, int64_t *size);

#endif
