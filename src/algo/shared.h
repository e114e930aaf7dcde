/*
 * shared.h - one vector that several workers read and write at the same time (HogWild's).
 *
 * Every access goes through these functions, which read and write two floats at once, or four:
 * what is read may be a mixture of several writers' values, but a float is never torn, and nothing
 * here is a data race. Kernels work on copies.
 *
 * The memory is 64-byte aligned and shared_bytes() long: `count` floats rounded up to 16, then
 * HOGWILD_LOCK_BYTES for a lock. It may lie in memory that several processes share.
 */
#ifndef ALGO_SHARED_H
#define ALGO_SHARED_H

#include <stddef.h>
#include <stdint.h>

enum { HOGWILD_LOCK_BYTES = 64 };

/* How the difference between what a worker read and what it made of that is written back. */
enum shared_update {
    SHARED_RACY,   /* read, add, write: what somebody else writes in between is lost */
    SHARED_ATOMIC, /* compare and swap: nothing is lost */
    SHARED_LOCKED, /* one worker at a time, over the whole vector: nothing is lost or mixed */
};

size_t shared_bytes(int64_t count);

/* Before anybody else looks: the values, and the lock open. */
void shared_init(float *shared, const float *x, int64_t count);

/* A copy of the first `count` floats, without the lock. */
void shared_load(float *x, const float *shared, int64_t count);

/*
 * Writes `next` back where nobody has written since `x` was read, and adds next - x elsewhere; so
 * that one worker alone finds exactly what it wrote. What did not change (next equal to x) is left
 * alone. Without the lock.
 */
struct shared_step {
    const float *x, *next; /* [count] */
    int64_t count;         /* from the first float on */
};
void shared_add(float *shared, const struct shared_step *step, enum shared_update how);

/* Writes x[from] to x[to - 1] over what is there; the neighbour in a pair is not touched. */
void shared_store(float *shared, const float *x, int64_t from, int64_t to);

/* The lock of a vector of `count` floats: spins, and yields the core when that takes long. */
void shared_lock(float *shared, int64_t count);
void shared_unlock(float *shared, int64_t count);

#endif
