/*
 * rng.h - random numbers by counter (Philox4x32-10): a number is a function of (seed, purpose,
 * stream, index, draw) and of nothing else. There is no state to save, and no order of drawing.
 *
 * `index` names what the number belongs to in the whole run: the sample's number in the data
 * set, the weight's canonical index. `stream` is what changes with time, usually the epoch.
 *
 * Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

/* Never renumber: runs would no longer repeat. */
enum rng_purpose {
    RNG_INIT = 1,        /* initial weights; index = canonical index */
    RNG_ORDER = 2,       /* the order of an epoch; stream = epoch, index = sample */
    RNG_SPLIT = 3,       /* train fraction and validation split; index = sample */
    RNG_DROPOUT = 4,     /* stream = epoch, index = sample, draw = layer and unit */
    RNG_FIGURES = 5,     /* the generated data sets */
    RNG_DELAY = 6,       /* injected delays; stream = worker, index = step */
    RNG_PARTITION = 7,   /* who gets which samples; index = sample, label or worker */
    RNG_QUADRATIC = 8,   /* heterogeneous quadratics; stream = worker, index = coordinate */
    RNG_NOISE = 9,       /* noise of gradients; stream = worker, index = step, draw = coordinate */
    RNG_GRAPH = 10,      /* random graphs; stream = attempt, index = graph and edge or node */
    RNG_OUTAGE = 11,     /* links and nodes that are out; stream = round, index = edge or node */
    RNG_COMPRESS = 12,   /* lossy messages; stream = sender, index = step, draw = coordinate */
    RNG_PEER = 13,       /* random neighbours; stream = worker, index = round, draw = try */
    RNG_CLIENTS = 14,    /* who trains in a round; stream = round, index = worker */
    RNG_SIGNS = 15,      /* of permutation tests; index = permutation, draw = 64 pairs */
    RNG_LANDSCAPE = 16,  /* directions; stream = direction, index = parameter */
    RNG_SEARCH = 17,     /* which cases a search tries; index = case */
    RNG_POSES = 18,      /* random poses of lidar; stream = set, index = pose, draw = try */
    RNG_WALK = 19,       /* random walks in floor plans; index = place, draw = try */
    RNG_FLOOR_PLAN = 20, /* generated floor plans; index = draw */
    RNG_AUGMENT = 21,    /* crops and flips of pictures; stream = epoch, index = sample */
    RNG_TEST = 99,       /* tests */
};

struct rng {
    uint32_t key[2];
    uint32_t stream;
};

struct rng rng_make(uint64_t seed, enum rng_purpose purpose, uint32_t stream);

/* Four independent words. */
void rng_words(const struct rng *r, uint64_t index, uint32_t draw, uint32_t words[4]);

uint64_t rng_bits(const struct rng *r, uint64_t index, uint32_t draw);
double rng_uniform(const struct rng *r, uint64_t index, uint32_t draw); /* [0, 1), 53 bits */
double rng_normal(const struct rng *r, uint64_t index, uint32_t draw);  /* Box-Muller */
int64_t rng_below(const struct rng *r, uint64_t index, uint32_t draw,
                  int64_t bound); /* 0..bound-1 */

/*
 * Puts items (non-negative numbers) into the random order that this generator gives them: sorted by
 * rng_bits(item), ties by item. Hence the order of a subset is the subset of the order.
 */
void rng_order(const struct rng *r, int64_t *items, int64_t count);

/* The raw block cipher, for kernels and its known-answer test. */
void rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

#endif
