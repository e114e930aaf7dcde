/*
 * window_sampler.h - batches of samples that arrive in windows: a worker has those of its present
 * window only, and visits each of them once in random order.
 *
 * The batch with number `draw` of a run is a function of (seed, draw): the order of a window
 * depends on its number, as that of an epoch does in sampler.h. So nothing is saved.
 */
#ifndef DATA_WINDOW_SAMPLER_H
#define DATA_WINDOW_SAMPLER_H

#include "data/lidar/windows.h"

struct window_sampler {
    const struct lidar_windows *windows; /* borrowed; its rows are numbers of samples */
    uint64_t seed;
    int64_t window; /* the one that is in order; -1: none */
    int64_t *order; /* [rows of the largest window] */
};

void window_sampler_init(struct window_sampler *s, const struct lidar_windows *windows,
                         uint64_t seed);
void window_sampler_release(struct window_sampler *s);

/* The batch with this number, whose facts are in *d; valid until the next call. */
const int64_t *window_sampler_draw(struct window_sampler *s, int64_t draw, struct lidar_draw *d);

#endif
