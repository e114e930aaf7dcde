/*
 * atomic_vector.c - reading and writing a vector while others do, two floats at a time.
 *
 * A pair is the unit of every race: all accesses are to pairs, or to quads, which are two of them.
 * A quad is read and written by one instruction that the language knows nothing of, so that there
 * is no race by its rules; the processor's say that a pair is never torn. Without such an
 * instruction a quad is two accesses.
 */
#include "algo/parts/atomic_vector.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"

enum {
    ROUND_TO = 16, /* floats: a cache line */
    QUAD = 4,      /* floats that are added at once */
    BLOCK = 64,    /* floats that are looked at for a change */
    SPINS = 200,   /* looks at a lock before the core is given to somebody else */
};

typedef _Atomic uint64_t atomic_pair;
_Static_assert(sizeof(atomic_pair) == 2 * sizeof(float), "a pair is two floats");

static int64_t rounded(int64_t count)
{
    return (count + ROUND_TO - 1) / ROUND_TO * ROUND_TO;
}

static atomic_pair *pairs_of(float *shared)
{
    CHECK((uintptr_t)shared % sizeof(atomic_pair) == 0);
    return (atomic_pair *)(void *)shared;
}

static uint64_t pair_get(const atomic_pair *p)
{
    return atomic_load_explicit(p, memory_order_relaxed);
}

static void pair_set(atomic_pair *p, uint64_t value)
{
    atomic_store_explicit(p, value, memory_order_relaxed);
}

/* Where one instruction moves a quad, and nobody is to watch the single accesses. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define QUAD_AT_ONCE 1
#else
#define QUAD_AT_ONCE 0
#endif

typedef float quad __attribute__((vector_size(16)));
typedef int32_t quad_bits __attribute__((vector_size(16)));

/* They are aligned: shared vectors are, and quads are counted from their beginning. */
static quad quad_get(const atomic_pair *p)
{
    quad q;

#if QUAD_AT_ONCE
    __asm__ volatile("movaps %1, %0" : "=x"(q) : "m"(*(const quad *)(uintptr_t)p));
#else
    const uint64_t pairs[] = {pair_get(&p[0]), pair_get(&p[1])};

    memcpy(&q, pairs, sizeof q);
#endif
    return q;
}

static void quad_set(atomic_pair *p, quad q)
{
#if QUAD_AT_ONCE
    __asm__ volatile("movaps %1, %0" : "=m"(*(quad *)(uintptr_t)p) : "x"(q));
#else
    uint64_t pairs[2];

    memcpy(pairs, &q, sizeof q);
    pair_set(&p[0], pairs[0]);
    pair_set(&p[1], pairs[1]);
#endif
}

size_t atomic_vector_bytes(int64_t count)
{
    return (size_t)rounded(count) * sizeof(float) + ATOMIC_VECTOR_LOCK_BYTES;
}

static atomic_uint *lock_of(float *shared, int64_t count)
{
    return (atomic_uint *)(void *)(shared + rounded(count));
}

void atomic_vector_lock(float *shared, int64_t count)
{
    atomic_uint *lock = lock_of(shared, count);

    for (int64_t spins = 1;; spins++) {
        if (atomic_load_explicit(lock, memory_order_relaxed) == 0 &&
            atomic_exchange_explicit(lock, 1, memory_order_acquire) == 0)
            return;
        if (spins % SPINS == 0)
            sched_yield();
    }
}

void atomic_vector_unlock(float *shared, int64_t count)
{
    atomic_store_explicit(lock_of(shared, count), 0, memory_order_release);
}

void atomic_vector_init(float *shared, const float *x, int64_t count)
{
    atomic_pair *pairs = pairs_of(shared);

    for (int64_t i = 0; i < count; i += 2) {
        uint64_t pair = 0;

        memcpy(&pair, x + i, (size_t)(count - i < 2 ? 1 : 2) * sizeof *x);
        pair_set(&pairs[i / 2], pair);
    }
    atomic_init(lock_of(shared, count), 0);
}

/* Both of the pair, or the first; answers how many. */
static int64_t load_pair(float *x, const atomic_pair *p, int64_t count)
{
    const uint64_t pair = pair_get(p);
    const int64_t n = count < 2 ? count : 2;

    memcpy(x, &pair, (size_t)n * sizeof *x);
    return n;
}

void atomic_vector_load(float *x, const float *shared, int64_t count)
{
    const atomic_pair *pairs = (const atomic_pair *)(const void *)shared;
    int64_t i = 0;

    CHECK((uintptr_t)shared % sizeof(atomic_pair) == 0);
    if ((uintptr_t)shared % sizeof(quad) != 0 && count >= 2)
        i += load_pair(x, &pairs[0], 2);
    for (; i + QUAD <= count; i += QUAD) {
        const quad q = quad_get(&pairs[i / 2]);
        memcpy(x + i, &q, sizeof q);
    }
    for (; i < count; i += 2)
        load_pair(x + i, &pairs[i / 2], count - i);
}

static uint32_t bits(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

/*
 * What becomes of the value `now` when a worker has moved x to next. By masks, because a branch
 * could not be foreseen where some have been written meanwhile and some have not.
 */
static float merged(float now, float x, float next)
{
    const uint32_t is_as_read = 0U - (uint32_t)(bits(now) == bits(x));
    const uint32_t chosen = (bits(next) & is_as_read) | (bits(now + (next - x)) & ~is_as_read);
    float result;

    memcpy(&result, &chosen, sizeof result);
    return result;
}

/* The same for four. */
static quad merged_quad(quad now, quad x, quad next)
{
    const quad_bits is_as_read = (quad_bits)now == (quad_bits)x;
    const quad sum = now + (next - x);

    return (quad)(((quad_bits)next & is_as_read) | ((quad_bits)sum & ~is_as_read));
}

static void add_block(atomic_pair *pairs, const float *x, const float *next)
{
    for (int64_t i = 0; i < BLOCK; i += QUAD) {
        quad before, after;

        memcpy(&before, x + i, sizeof before);
        memcpy(&after, next + i, sizeof after);
        quad_set(&pairs[i / 2], merged_quad(quad_get(&pairs[i / 2]), before, after));
    }
}

static uint64_t merged_pair(uint64_t now, const float x[2], const float next[2])
{
    float values[2];

    memcpy(values, &now, sizeof values);
    values[0] = merged(values[0], x[0], next[0]);
    values[1] = merged(values[1], x[1], next[1]);
    memcpy(&now, values, sizeof values);
    return now;
}

static void add_pair_atomic(atomic_pair *pair, const float x[2], const float next[2])
{
    uint64_t now = pair_get(pair);

    while (!atomic_compare_exchange_weak_explicit(pair, &now, merged_pair(now, x, next),
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

static bool is_unchanged(const float *x, const float *next, int64_t count)
{
    return memcmp(x, next, (size_t)count * sizeof *x) == 0;
}

static void add_pair(atomic_pair *pair, const float x[2], const float next[2],
                     enum atomic_vector_update how)
{
    if (is_unchanged(x, next, 2))
        return;
    if (how == ATOMIC_VECTOR_ATOMIC)
        add_pair_atomic(pair, x, next);
    else
        pair_set(pair, merged_pair(pair_get(pair), x, next));
}

void atomic_vector_add(float *shared, const struct atomic_vector_step *step,
                       enum atomic_vector_update how)
{
    atomic_pair *pairs = pairs_of(shared);
    const float *x = step->x;
    const float *next = step->next;
    const int64_t count = step->count;
    int64_t i = 0;

    if (how != ATOMIC_VECTOR_ATOMIC)
        for (; i + BLOCK <= count; i += BLOCK)
            if (!is_unchanged(x + i, next + i, BLOCK))
                add_block(pairs + i / 2, x + i, next + i);
    for (; i + 2 <= count; i += 2)
        add_pair(&pairs[i / 2], x + i, next + i, how);
    if (i < count) /* the other half of the last pair is not ours: it does not move */
        add_pair(&pairs[i / 2], (const float[2]){x[i], 0}, (const float[2]){next[i], 0}, how);
}

static void store_float(float *shared, int64_t i, float value)
{
    atomic_pair *pair = &pairs_of(shared)[i / 2];
    uint64_t now = pair_get(pair), next;

    do {
        float values[2];

        memcpy(values, &now, sizeof values);
        values[i % 2] = value;
        memcpy(&next, values, sizeof values);
    } while (!atomic_compare_exchange_weak_explicit(pair, &now, next, memory_order_relaxed,
                                                    memory_order_relaxed));
}

void atomic_vector_store(float *shared, const float *x, int64_t from, int64_t to)
{
    atomic_pair *pairs = pairs_of(shared);
    int64_t i = from;

    if (i % 2 != 0 && i < to) {
        store_float(shared, i, x[i]);
        i++;
    }
    for (; i + 2 <= to; i += 2) {
        uint64_t pair;

        memcpy(&pair, x + i, sizeof pair);
        pair_set(&pairs[i / 2], pair);
    }
    if (i < to)
        store_float(shared, i, x[i]);
}
