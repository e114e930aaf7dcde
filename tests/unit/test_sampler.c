/*
 * test_sampler.c - batches in random order without replacement, alone and as a worker.
 */
#include "base/mem.h"
#include "data/sampler.h"
#include "test.h"
#include "unit/partition_case.h"

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

/* Every worker's sampler of a partition of COUNT samples. */
enum { WORKERS_MAX = 8 };

struct crew {
    struct partition_case c;
    struct partition p;
    struct sampler samplers[WORKERS_MAX];
};

static void crew_start(struct crew *crew, const char *options, int workers, int64_t batch_size)
{
    case_init(&crew->c, COUNT, 5);
    crew->c.request.workers = workers;
    crew->c.request.seed = 4;
    EXPECT_OK(case_deal(&crew->c, options, &crew->p));
    for (int w = 0; w < workers; w++)
        sampler_init_part(&crew->samplers[w], (struct sampler_part){&crew->p, w}, batch_size, 4);
}

static void crew_end(struct crew *crew)
{
    for (int w = 0; w < crew->p.workers; w++)
        sampler_release(&crew->samplers[w]);
    partition_release(&crew->p);
    case_release(&crew->c);
}

/* Marks the next batch of each worker that has one left in this epoch. */
static void crew_step(struct crew *crew, int64_t step, int64_t *marks)
{
    for (int w = 0; w < crew->p.workers; w++) {
        int64_t size = 0;

        if (step >= sampler_batches(&crew->samplers[w]))
            continue;
        const int64_t *numbers = sampler_next(&crew->samplers[w], &size);

        for (int64_t i = 0; i < size; i++)
            marks[numbers[i]]++;
    }
}

/* W workers with batches of B / W: step by step the B samples of one worker with batches of B. */
static void test_strided_workers_visit_the_batches_of_one_worker(void)
{
    for (int workers = 1; workers <= WORKERS_MAX; workers++) {
        const int64_t each = 3, whole = each * workers;
        struct crew crew;
        struct sampler one;

        crew_start(&crew, "strided", workers, each);
        sampler_init(&one, crew.c.samples, COUNT, whole, 4);
        EXPECT_INT(partition_batches(&crew.p, each), sampler_batches(&one));
        for (int64_t step = 0; step < 3 * sampler_batches(&one); step++) {
            int64_t marks[LAST] = {0}, size = 0, others = 0;
            const int64_t in_epoch = step % sampler_batches(&one);
            const int64_t *numbers = sampler_next(&one, &size);

            crew_step(&crew, in_epoch, marks);
            EXPECT_INT(partition_batch_total(&crew.p, each, in_epoch), size);
            for (int64_t i = 0; i < size; i++)
                EXPECT_INT(marks[numbers[i]]--, 1);
            for (int64_t i = 0; i < LAST; i++)
                others += marks[i];
            EXPECT_INT(others, 0);
        }
        sampler_release(&one);
        crew_end(&crew);
    }
}

static int64_t same_samples(const int64_t *a, const int64_t *b, int64_t count)
{
    int64_t same = 0;

    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < count; k++)
            same += a[i] == b[k];
    }
    return same;
}

static void test_a_worker_gets_new_samples_when_dealt_anew_and_keeps_them_otherwise(void)
{
    int64_t first[COUNT];
    struct crew crew;

    crew_start(&crew, "strided", 4, 5);
    memcpy(first, crew.samplers[1].order, 26 * sizeof *first);
    sampler_seek(&crew.samplers[1], 1, 0);
    EXPECT(same_samples(first, crew.samplers[1].order, 26) < 26);
    crew_end(&crew);
    crew_start(&crew, "{name: strided, redeal: false}", 4, 5);
    EXPECT(memcmp(first, crew.samplers[1].order, 26 * sizeof *first) == 0); /* as in epoch 0 */
    sampler_seek(&crew.samplers[1], 1, 0);
    EXPECT_INT(same_samples(first, crew.samplers[1].order, 26), 26);
    EXPECT(memcmp(first, crew.samplers[1].order, 26 * sizeof *first) != 0); /* another order */
    crew_end(&crew);
}

/* One order serves all workers of an epoch; those of far apart epochs have theirs all the same. */
static void test_strided_workers_may_be_in_different_epochs(void)
{
    enum { WORKERS = 4, EPOCHS = 5 };
    struct sampler one;
    struct crew crew;

    crew_start(&crew, "strided", WORKERS, 5);
    sampler_init(&one, crew.c.samples, COUNT, 5, 4);
    for (int turn = 0; turn < WORKERS * EPOCHS; turn++) {
        const int w = turn % WORKERS, epoch = turn * 3 % EPOCHS;
        struct sampler *s = &crew.samplers[w];

        sampler_seek(&one, epoch, 0);
        sampler_seek(s, epoch, 0);
        for (int64_t i = 0; i < s->count; i++)
            EXPECT_INT(s->order[i], one.order[w + i * WORKERS]);
    }
    sampler_release(&one);
    crew_end(&crew);
}

static void test_shared_orders_differ_and_worker_0_has_that_of_a_single_run(void)
{
    struct crew crew;
    struct sampler one;

    crew_start(&crew, "shared", 4, 10);
    sampler_init(&one, crew.c.samples, COUNT, 10, 4);
    for (int64_t epoch = 0; epoch < 3; epoch++) {
        sampler_seek(&one, epoch, 0);
        for (int w = 0; w < 4; w++) {
            sampler_seek(&crew.samplers[w], epoch, 0);
            EXPECT((memcmp(crew.samplers[w].order, one.order, COUNT * sizeof *one.order) == 0) ==
                   (w == 0));
            for (int v = 0; v < w; v++)
                EXPECT(memcmp(crew.samplers[w].order, crew.samplers[v].order,
                              COUNT * sizeof *one.order) != 0);
        }
    }
    sampler_release(&one);
    crew_end(&crew);
}

/* 103 samples over 4 workers are 26, 26, 26 and 25, in batches of 5: 6, 6, 6 and 5. */
static void test_workers_may_have_different_numbers_of_batches(void)
{
    int64_t marks[LAST] = {0}, visited = 0;
    struct crew crew;

    crew_start(&crew, "split", 4, 5);
    for (int w = 0; w < 4; w++)
        EXPECT_INT(sampler_batches(&crew.samplers[w]), w < 3 ? 6 : 5);
    for (int64_t step = 0; step < partition_batches(&crew.p, 5); step++)
        crew_step(&crew, step, marks);
    for (int64_t i = 0; i < LAST; i++) {
        EXPECT(marks[i] <= 1);
        visited += marks[i];
    }
    EXPECT_INT(visited, COUNT);
    crew_end(&crew);
}

static void test_seeking_as_a_worker_is_the_same_as_going_there(void)
{
    static const char *const names[] = {"shared", "split", "strided"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct crew a, b;

        crew_start(&a, names[k], 3, 4);
        crew_start(&b, names[k], 3, 4);
        for (int64_t step = 0; step < 30; step++) {
            int64_t size_a = 0, size_b = 0;
            struct sampler *s = &a.samplers[2], *t = &b.samplers[2];

            sampler_seek(t, s->epoch, s->batch);
            const int64_t *numbers_a = sampler_next(s, &size_a);
            const int64_t *numbers_b = sampler_next(t, &size_b);

            EXPECT_INT(size_a, size_b);
            EXPECT(memcmp(numbers_a, numbers_b, (size_t)size_a * sizeof *numbers_a) == 0);
            sampler_seek(t, 9, 1);
        }
        crew_end(&a);
        crew_end(&b);
    }
}

TEST_MAIN(TEST(test_an_epoch_has_every_sample_once), TEST(test_the_last_partial_batch_is_kept),
          TEST(test_epochs_and_seeds_have_orders_of_their_own),
          TEST(test_seeking_is_the_same_as_going_there),
          TEST(test_a_batch_may_be_larger_than_the_set),
          TEST(test_strided_workers_visit_the_batches_of_one_worker),
          TEST(test_strided_workers_may_be_in_different_epochs),
          TEST(test_a_worker_gets_new_samples_when_dealt_anew_and_keeps_them_otherwise),
          TEST(test_shared_orders_differ_and_worker_0_has_that_of_a_single_run),
          TEST(test_workers_may_have_different_numbers_of_batches),
          TEST(test_seeking_as_a_worker_is_the_same_as_going_there))
