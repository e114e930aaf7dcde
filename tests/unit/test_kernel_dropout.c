/*
 * test_kernel_dropout.c - masks are those of the generator's words, one by one, whatever the
 * instruction set.
 */
#include "test_kernel.h"

/* The factor that unit i gets, drawn by base/rng.h alone. */
static float factor_of(const struct rng *r, const struct dropout_stream *s, int64_t i)
{
    uint32_t words[4];

    rng_words(r, s->index, s->draw + (uint32_t)(i / 4), words);
    return s->drops_all || words[i % 4] < s->dropped ? 0.0F : s->kept;
}

static void check(const struct kernel *k, const struct rng *r, const struct dropout_stream *s,
                  int64_t n)
{
    float *x = numbers_new(n, 4), *y = guarded_new(n), *mask = guarded_new(n);

    k->dropout(y, mask, x, s, n);
    for (int64_t i = 0; i < n; i++) {
        const float expected = factor_of(r, s, i);
        EXPECT(mask[i] == expected);
        EXPECT(y[i] == x[i] * expected);
    }
    EXPECT(guards_stand(y, n) && guards_stand(mask, n));
    k->dropout(x, mask, x, s, n); /* in place */
    EXPECT(same_bits(x, y, n));
    mem_free(x);
    mem_free(y);
    mem_free(mask);
}

static void test_masks_are_the_words_of_the_generator(void)
{
    static const int64_t counts[] = {1, 3, 4, 7, 31, 32, 33, 64, 100, 1001};
    static const uint64_t samples[] = {0, 59999, 0x123456789abcdefU};
    static const uint32_t draws[] = {0, 7U << 20, 0xfffffffeU}; /* the last ones wrap around */
    const struct rng r = rng_make(42, RNG_DROPOUT, 3);
    struct dropout_stream s = {
        .key = {r.key[0], r.key[1]},
          .stream = r.stream, .dropped = 0x66666667U, .kept = 1.25F
    };

    FOR_EACH_KERNEL(k)
    {
        for (int i = 0; i < 90; i++) {
            s.index = samples[i % 3];
            s.draw = draws[i / 3 % 3];
            check(k, &r, &s, counts[i / 9]);
        }
    }
}

static void test_none_or_all_may_be_dropped(void)
{
    const struct rng r = rng_make(1, RNG_DROPOUT, 0);
    struct dropout_stream s = {
        .key = {r.key[0], r.key[1]},
          .kept = 1.0F
    };

    FOR_EACH_KERNEL(k)
    {
        s.drops_all = false;
        check(k, &r, &s, 50);
        s.drops_all = true;
        check(k, &r, &s, 50);
    }
}

TEST_MAIN(TEST(test_masks_are_the_words_of_the_generator), TEST(test_none_or_all_may_be_dropped))
