/*
 * rng.c - Philox4x32-10, and what is made of its words.
 *
 *     counter = (index low, index high, draw, stream), key = hash of (seed, purpose)
 *
 * Nothing here calls libm except sqrt, which IEEE 754 rounds correctly: logarithm and cosine are
 * our own short series (portable_math.c), so that a normal number has the same bits on every
 * system.
 */
#include "base/rng.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/portable_math.h"

void rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xd2511f53U * c0;
        const uint64_t p1 = (uint64_t)0xcd9e8d57U * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9e3779b9U;
        k1 += 0xbb67ae85U;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

/* The key goes through the cipher too: seeds 1, 2, 3 and purposes 1, 2, 3 must not meet. */
struct rng rng_make(uint64_t seed, enum rng_purpose purpose, uint32_t stream)
{
    static const uint32_t no_key[2] = {0, 0};
    const uint32_t counter[4] = {(uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)purpose, 0};
    uint32_t words[4];

    rng_philox(counter, no_key, words);
    return (struct rng){
        .key = {words[0], words[1]},
          .stream = stream
    };
}

void rng_words(const struct rng *r, uint64_t index, uint32_t draw, uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), draw, r->stream};

    rng_philox(counter, r->key, words);
}

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

uint64_t rng_bits(const struct rng *r, uint64_t index, uint32_t draw)
{
    uint32_t words[4];

    rng_words(r, index, draw, words);
    return join(words[0], words[1]);
}

double rng_uniform(const struct rng *r, uint64_t index, uint32_t draw)
{
    return unit(rng_bits(r, index, draw));
}

/* High word of bits * bound. The bias is below bound / 2^64, which no experiment can see. */
int64_t rng_below(const struct rng *r, uint64_t index, uint32_t draw, int64_t bound)
{
    CHECK(bound > 0);

    const uint64_t bits = rng_bits(r, index, draw), b = (uint64_t)bound;
    const uint64_t low = (bits & 0xffffffffU) * (b & 0xffffffffU);
    const uint64_t cross1 = (bits >> 32) * (b & 0xffffffffU) + (low >> 32);
    const uint64_t cross2 = (bits & 0xffffffffU) * (b >> 32) + (cross1 & 0xffffffffU);

    return (int64_t)((bits >> 32) * (b >> 32) + (cross1 >> 32) + (cross2 >> 32));
}

double rng_normal(const struct rng *r, uint64_t index, uint32_t draw)
{
    uint32_t words[4];

    rng_words(r, index, draw, words);

    const double radius = 1 - unit(join(words[0], words[1])); /* (0, 1] */
    const double turn = unit(join(words[2], words[3]));

    return sqrt(-2 * portable_log(radius)) * portable_cos_turn(turn);
}

struct ranked {
    uint64_t bits;
    int64_t item;
};

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One stable pass of a radix sort by the digit at `shift`. */
static void sort_by_digit(struct ranked *to, const struct ranked *from, int64_t count, int shift,
                          int64_t *starts)
{
    int64_t start = 0;

    memset(starts, 0, DIGITS * sizeof *starts);
    for (int64_t i = 0; i < count; i++)
        starts[from[i].bits >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        const int64_t n = starts[d];

        starts[d] = start;
        start += n;
    }
    for (int64_t i = 0; i < count; i++)
        to[starts[from[i].bits >> shift & (DIGITS - 1)]++] = from[i];
}

static int is_before(struct ranked a, struct ranked b)
{
    return a.bits != b.bits ? a.bits < b.bits : a.item < b.item;
}

/* For what is nearly in order: the few neighbours whose upper 33 bits agree. */
static void sort_by_insertion(struct ranked *items, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        const struct ranked moved = items[i];
        int64_t j = i;

        for (; j > 0 && is_before(moved, items[j - 1]); j--)
            items[j] = items[j - 1];
        items[j] = moved;
    }
}

void rng_order(const struct rng *r, int64_t *items, int64_t count)
{
    CHECK(count >= 0);

    struct ranked *a = MEM_NEW_N(struct ranked, count);
    struct ranked *b = MEM_NEW_N(struct ranked, count);
    int64_t *starts = MEM_NEW_N(int64_t, DIGITS);

    for (int64_t i = 0; i < count; i++) {
        CHECK(items[i] >= 0);
        a[i] = (struct ranked){.bits = rng_bits(r, (uint64_t)items[i], 0), .item = items[i]};
    }
    sort_by_digit(b, a, count, 64 - 3 * DIGIT_BITS, starts);
    sort_by_digit(a, b, count, 64 - 2 * DIGIT_BITS, starts);
    sort_by_digit(b, a, count, 64 - 1 * DIGIT_BITS, starts);
    sort_by_insertion(b, count);
    for (int64_t i = 0; i < count; i++)
        items[i] = b[i].item;
    mem_free(starts);
    mem_free(b);
    mem_free(a);
}
