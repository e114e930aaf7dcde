/*
 * test_sampler.c - batches in random order without replacement.
 */
#include "base/mem.h"
#include "data/sampler.h"
#include "test.h"

enum { COUNT = 103, BATCH = 10, LAST = 3 * COUNT };

static void start(struct sampler *s, uint64_t seed)
{
    int64_t items[COUNT];

    for (int64_t i = 0; i < COUNT; i++)
        items[i] = 3 * i; /* not 0..n-1: the samples of a split */
    sampler_init(s, items, COUNT, BATCH, seed);
}

/* The next epoch's numbers in their order. */
static void take_epoch(struct sampler *s, int64_t *order)
{
    int64_t at = 0, size = 0;

    for (int64_t b = 0; b < sampler_batches(s); b++) {
        const int64_t *numbers = sampler_next(s, &size);

        for (int64_t i = 0; i < size; i++)
            order[at++] = numbers[i];
    }
    EXPECT_INT(at, COUNT);
}

static void test_an_epoch_has_every_sample_once(void)
{
    struct sampler s;

    start(&s, 1);
    for (int epoch = 0; epoch < 3; epoch++) {
        int64_t order[COUNT] = {0}, seen[LAST] = {0};

        take_epoch(&s, order);
        for (int64_t i = 0; i < COUNT; i++)
            seen[order[i]]++;
        for (int64_t i = 0; i < LAST; i++)
            EXPECT_INT(seen[i], i % 3 == 0);
    }
    sampler_release(&s);
    sampler_release(&s);
}

static void test_the_last_partial_batch_is_kept(void)
{
    struct sampler s;
    int64_t size = 0;

    start(&s, 1);
    EXPECT_INT(sampler_batches(&s), 11);
    for (int64_t b = 0; b < 11; b++) {
        sampler_next(&s, &size);
        EXPECT_INT(size, b < 10 ? BATCH : 3);
    }
    sampler_next(&s, &size);
    EXPECT_INT(size, BATCH);
    EXPECT_INT(s.epoch, 1);
    EXPECT_INT(s.batch, 1);
    sampler_release(&s);
}

static void test_epochs_and_seeds_have_orders_of_their_own(void)
{
    int64_t first[COUNT], second[COUNT], other[COUNT], again[COUNT];
    struct sampler a, b, c;

    start(&a, 1);
    start(&b, 2);
    start(&c, 1);
    take_epoch(&a, first);
    take_epoch(&a, second);
    take_epoch(&b, other);
    take_epoch(&c, again);
    EXPECT(memcmp(first, second, sizeof first) != 0);
    EXPECT(memcmp(first, other, sizeof first) != 0);
    EXPECT(memcmp(first, again, sizeof first) == 0);
    sampler_release(&a);
    sampler_release(&b);
    sampler_release(&c);
}

static void test_seeking_is_the_same_as_going_there(void)
{
    struct sampler a, b;
    int64_t size_a = 0, size_b = 0;

    start(&a, 5);
    start(&b, 5);
    for (int64_t step = 0; step < 33; step++) {
        const int64_t *numbers_a, *numbers_b;

        sampler_seek(&b, a.epoch, a.batch); /* what a checkpoint holds */
        numbers_a = sampler_next(&a, &size_a);
        numbers_b = sampler_next(&b, &size_b);
        EXPECT_INT(size_a, size_b);
        EXPECT(memcmp(numbers_a, numbers_b, (size_t)size_a * sizeof *numbers_a) == 0);
        sampler_seek(&b, 17, 3); /* somewhere else in between */
    }
    sampler_release(&a);
    sampler_release(&b);
}

static void test_a_batch_may_be_larger_than_the_set(void)
{
    const int64_t items[] = {4, 9};
    struct sampler s;
    int64_t size = 0;

    sampler_init(&s, items, 2, 64, 1);
    EXPECT_INT(sampler_batches(&s), 1);
    sampler_next(&s, &size);
    EXPECT_INT(size, 2);
    sampler_release(&s);
}

TEST_MAIN(TEST(test_an_epoch_has_every_sample_once), TEST(test_the_last_partial_batch_is_kept),
          TEST(test_epochs_and_seeds_have_orders_of_their_own),
          TEST(test_seeking_is_the_same_as_going_there),
          TEST(test_a_batch_may_be_larger_than_the_set))
