/*
 * scratch.h - vectors that hold something within a round only: a gradient, a sum of neighbours'
 * models, what an inner optimiser keeps.
 *
 * Where workers of a process share cores, scratch belongs to a core: a worker takes a vector from
 * the pool of the process, and gives it back before it waits for others. The one given back last is
 * taken first, because it is still in cache. A thousand workers of which two compute at once use
 * the scratch of two. A worker that has a core of its own keeps what it has taken.
 *
 * Taking never waits. Who holds a vector while it waits makes the pool grow by that vector, and
 * nothing else.
 */
#ifndef ALGO_SCRATCH_H
#define ALGO_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

/* The scratch of a process. */
struct scratch_pool;

struct scratch_pool_setup {
    int64_t count; /* floats of a vector: those of a state. There is room for a double more */
    int workers;   /* of this process */
    int cores;
    bool poisons; /* vectors are NaN when they are taken: for tests */
};

struct scratch_pool *scratch_pool_new(const struct scratch_pool_setup *setup);
void scratch_pool_free(struct scratch_pool *p); /* after all are given back; NULL is fine */

/* How many vectors have been made: the most that were ever taken at once. */
int scratch_pool_made(struct scratch_pool *p);

/* Vectors for each core that workers may hold while they wait, in the place of waiting first. */
enum { SCRATCH_PER_CORE = 4 };

/* The scratch of one worker. */
enum { SCRATCH_MAX = 8 };
struct scratch {
    struct scratch_pool *pool; /* borrowed */
    float *vectors[SCRATCH_MAX];
    bool is_taken[SCRATCH_MAX];
};

/* A vector, whose values mean nothing. */
float *scratch_take(struct scratch *s);
void scratch_give(struct scratch *s, float *x); /* one that it has taken; NULL is fine */

/* Gives all back to the pool, taken or kept. */
void scratch_release(struct scratch *s);

/*
 * Whether a worker is to wait for others before it takes scratch, and not after: there are more
 * than SCRATCH_PER_CORE workers for each core. With fewer it is worth more that a worker computes
 * while a neighbour is late.
 */
bool scratch_waits_first(const struct scratch *s);

#endif
