/*
 * average.h - the mean of the workers' models, for algorithms whose workers step on their own and
 * average now and then.
 *
 * Only those who have something to say count: a worker that made no step since the last mean (it
 * ran out of data) has weight zero, but gets the mean like all others. All workers make the same
 * calls in the same order. With one worker nothing changes, not even a bit. Equal weights have the
 * bits of a mean without weights.
 */
#ifndef ALGO_PARTS_AVERAGE_H
#define ALGO_PARTS_AVERAGE_H

#include "algo/algo.h"

struct average {
    bool is_in;    /* whether this worker's values count */
    int64_t count; /* workers whose values count; if nobody's would, all do */
    float factor;  /* this worker's weight over the mean weight of those who count */
};

/* Agrees on who counts; one sum of one number. */
enum status average_begin(struct average *a, struct worker *w, bool is_in);

/* The same with weights, such as samples; 0: its values do not count. One sum of two numbers. */
enum status average_begin_weighted(struct average *a, struct worker *w, int64_t weight);

/* x[count] <- the mean over those who count, added in rank order. */
enum status average_vector(const struct average *a, struct worker *w, float *x, int64_t count);

/* The parameters, and BatchNorm's statistics with them if the run averages those. */
enum status average_state(const struct average *a, struct worker *w);

/*
 * The optimiser's vectors and numbers. A vector that only some have yet is zero for the others. Of
 * Adam's count of steps the mean is taken too, because it belongs to the vectors: it says how much
 * of them is still missing.
 */
enum status average_optimizer(const struct average *a, struct worker *w);

#endif
