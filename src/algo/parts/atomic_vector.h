/*
 * atomic_vector.h - one vector that several workers read and write at the same time (HogWild's).
 *
 * Every access goes through these functions, which read and write two floats at once, or four:
 * what is read may be a mixture of several writers' values, but a float is never torn, and nothing
 * here is a data race. Kernels work on copies.
 *
 * The memory is 64-byte aligned and atomic_vector_bytes() long: `count` floats rounded up to 16,
 * then ATOMIC_VECTOR_LOCK_BYTES for a lock. It may lie in memory that several processes share.
 */
#ifndef ALGO_PARTS_ATOMIC_VECTOR_H
#define ALGO_PARTS_ATOMIC_VECTOR_H

#include <stddef.h>
#include <stdint.h>

enum { ATOMIC_VECTOR_LOCK_BYTES = 64 };

/* How the difference between what a worker read and what it made of that is written back. */
enum atomic_vector_update {
    ATOMIC_VECTOR_RACY,   /* read, add, write: what somebody else writes in between is lost */
    ATOMIC_VECTOR_ATOMIC, /* compare and swap: nothing is lost */
    ATOMIC_VECTOR_LOCKED, /* one worker at a time, over the whole vector: nothing is lost or mixed
                           */
};

size_t atomic_vector_bytes(int64_t count);

/* Before anybody else looks: the values, and the lock open. */
void atomic_vector_init(float *shared, const float *x, int64_t count);

/* A copy of the first `count` floats, without the lock. */
void atomic_vector_load(float *x, const float *shared, int64_t count);

/*
 * Writes `next` back where nobody has written since `x` was read, and adds next - x elsewhere; so
 * that one worker alone finds exactly what it wrote. What did not change (next equal to x) is left
 * alone. Without the lock.
 */
struct atomic_vector_step {
    const float *x, *next; /* [count] */
    int64_t count;         /* from the first float on */
};
void atomic_vector_add(float *shared, const struct atomic_vector_step *step,
                       enum atomic_vector_update how);

/* Writes x[from] to x[to - 1] over what is there; the neighbour in a pair is not touched. */
void atomic_vector_store(float *shared, const float *x, int64_t from, int64_t to);

/* The lock of a vector of `count` floats: spins, and yields the core when that takes long. */
void atomic_vector_lock(float *shared, int64_t count);
void atomic_vector_unlock(float *shared, int64_t count);

#endif
