/*
 * test_batch_schedule.c - a worker's batches in epochs that all workers share.
 */
#include "base/mem.h"
#include "data/dealt_order.h"
#include "problem/batch_schedule.h"
#include "test.h"

enum { SAMPLES = 40, BATCH = 4, WORKERS = 3, DRAWS = 24 };

/* Workers with 17, 9 and 3 samples have 5, 3 and 1 batches of 4. */
static const int64_t counts[WORKERS] = {17, 9, 3};
static const int64_t firsts[WORKERS] = {0, 17, 26};

struct rig {
    int64_t numbers[SAMPLES];
    int64_t counts[WORKERS];
    struct partition_size sizes[WORKERS];
    const int64_t *items[WORKERS];
    struct validation_split split;
    struct partition partition;
};

static void rig_init(struct rig *r)
{
    *r = (struct rig){
        .split = {.train_count = SAMPLES, .train = r->numbers}
    };
    for (int64_t i = 0; i < SAMPLES; i++)
        r->numbers[i] = i;
    for (int w = 0; w < WORKERS; w++) {
        r->counts[w] = counts[w];
        r->sizes[w] = (struct partition_size){.count = counts[w], .workers = 1};
        r->items[w] = r->numbers + firsts[w];
    }
    r->partition = (struct partition){
        .workers = WORKERS,
        .counts = r->counts,
        .sizes = r->sizes,
        .size_count = WORKERS,
        .items = r->items,
        .sample_count = SAMPLES,
        .samples = r->numbers,
    };
}

static struct batch_schedule_setup setup_of(const struct rig *r, int worker)
{
    return (struct batch_schedule_setup){
        .split = &r->split,
        .partition = &r->partition,
        .worker = worker,
        .seed = 1,
        .batch_size = BATCH,
    };
}

/* What is kept of a draw: samples may change with the next one. */
struct draw {
    int64_t epoch, pass, size, total;
    int64_t samples[BATCH];
};

static struct draw take(struct batch_schedule *c)
{
    const struct scheduled_batch b = batch_schedule_next(c);
    struct draw d = {.epoch = b.epoch, .pass = b.pass, .size = b.size, .total = b.total};

    EXPECT(b.size >= 0 && b.size <= BATCH);
    for (int64_t i = 0; i < b.size; i++)
        d.samples[i] = b.samples[i];
    return d;
}

static void test_without_a_partition_the_whole_split_is_visited(void)
{
    struct rig r;
    struct batch_schedule c;
    int seen[SAMPLES] = {0};

    rig_init(&r);
    struct batch_schedule_setup setup = setup_of(&r, 0);
    setup.partition = NULL;
    batch_schedule_init(&c, &setup);
    EXPECT_INT(c.epoch_batches, 10);
    for (int b = 0; b < 10; b++) {
        const struct draw d = take(&c);
        EXPECT_INT(d.size, BATCH);
        EXPECT_INT(d.total, BATCH);
        EXPECT_INT(d.epoch, 0);
        for (int64_t i = 0; i < d.size; i++)
            seen[d.samples[i]]++;
    }
    for (int64_t i = 0; i < SAMPLES; i++)
        EXPECT_INT(seen[i], 1);
    EXPECT_INT(take(&c).epoch, 1);
    batch_schedule_release(&c);
}

static void test_a_worker_without_data_draws_empty_batches(void)
{
    static const int64_t sizes[WORKERS][5] = {
        {4, 4, 4, 4, 1},
        {4, 4, 1, 0, 0},
        {3, 0, 0, 0, 0}
    };
    static const int64_t totals[5] = {11, 8, 5, 4, 1};
    struct rig r;

    rig_init(&r);
    for (int w = 0; w < WORKERS; w++) {
        struct batch_schedule c;
        struct batch_schedule_setup setup = setup_of(&r, w);
        int seen[SAMPLES] = {0};

        setup.epoch_batches = 5;
        batch_schedule_init(&c, &setup);
        for (int n = 0; n < 15; n++) {
            const struct draw d = take(&c);
            EXPECT_INT(d.epoch, n / 5);
            EXPECT_INT(d.size, sizes[w][n % 5]);
            EXPECT_INT(d.total, totals[n % 5]);
            for (int64_t i = 0; i < d.size; i++)
                seen[d.samples[i]]++;
        }
        for (int64_t i = 0; i < SAMPLES; i++)
            EXPECT_INT(seen[i], i >= firsts[w] && i < firsts[w] + counts[w] ? 3 : 0);
        batch_schedule_release(&c);
    }
}

static void test_its_own_number_of_batches_is_the_epoch_if_nobody_says_another(void)
{
    static const int64_t own[WORKERS] = {5, 3, 1};
    struct rig r;

    rig_init(&r);
    for (int w = 0; w < WORKERS; w++) {
        const struct batch_schedule_setup setup = setup_of(&r, w);
        struct batch_schedule c;

        batch_schedule_init(&c, &setup);
        EXPECT_INT(c.epoch_batches, own[w]);
        for (int64_t b = 0; b < own[w]; b++)
            EXPECT(take(&c).size > 0);
        EXPECT_INT(take(&c).epoch, 1);
        batch_schedule_release(&c);
    }
}

static void test_an_epoch_shorter_than_a_workers_data_is_cut(void)
{
    struct rig r;
    struct batch_schedule c, whole;

    rig_init(&r);
    struct batch_schedule_setup setup = setup_of(&r, 0);
    batch_schedule_init(&whole, &setup);
    setup.epoch_batches = 1; /* the shortest worker's */
    batch_schedule_init(&c, &setup);
    for (int64_t epoch = 0; epoch < 3; epoch++) {
        const struct draw d = take(&c);
        batch_schedule_seek(&whole, epoch, 0);
        const struct draw first = take(&whole);

        EXPECT_INT(d.epoch, epoch);
        EXPECT_INT(d.total, 11);
        EXPECT(memcmp(d.samples, first.samples, sizeof d.samples) == 0);
    }
    batch_schedule_release(&c);
    batch_schedule_release(&whole);
}

static void test_a_repeating_worker_starts_over_in_another_order(void)
{
    static const int64_t sizes[WORKERS][5] = {
        {4, 4, 4, 4, 1},
        {4, 4, 1, 4, 4},
        {3, 3, 3, 3, 3}
    };
    struct rig r;

    rig_init(&r);
    for (int w = 0; w < WORKERS; w++) {
        struct batch_schedule_setup setup = setup_of(&r, w);
        struct batch_schedule c;

        setup.epoch_batches = 5;
        setup.uneven = UNEVEN_REPEAT;
        batch_schedule_init(&c, &setup);
        for (int b = 0; b < 10; b++) {
            const struct draw d = take(&c);
            EXPECT_INT(d.size, sizes[w][b % 5]);
            EXPECT_INT(d.total, sizes[0][b % 5] + sizes[1][b % 5] + sizes[2][b % 5]);
            for (int64_t i = 0; i < d.size; i++)
                EXPECT(d.samples[i] >= firsts[w] && d.samples[i] < firsts[w] + counts[w]);
        }
        batch_schedule_release(&c);
    }
}

static void test_a_repeated_pass_has_each_sample_once_and_its_own_order(void)
{
    struct rig r;
    struct batch_schedule c;
    int64_t order[2][9];

    rig_init(&r);
    struct batch_schedule_setup setup = setup_of(&r, 1);
    setup.epoch_batches = 6; /* two passes of 3 batches */
    setup.uneven = UNEVEN_REPEAT;
    batch_schedule_init(&c, &setup);
    for (int pass = 0; pass < 2; pass++) {
        int seen[SAMPLES] = {0}, at = 0;
        for (int b = 0; b < 3; b++) {
            const struct draw d = take(&c);
            EXPECT_INT(d.pass, pass);
            for (int64_t i = 0; i < d.size; i++) {
                seen[d.samples[i]]++;
                order[pass][at++] = d.samples[i];
            }
        }
        for (int64_t i = 17; i < 26; i++)
            EXPECT_INT(seen[i], 1);
    }
    EXPECT(memcmp(order[0], order[1], sizeof order[0]) != 0); /* by chance once in 9! */
    batch_schedule_seek(&c, 1, 0);
    const struct draw next = take(&c);
    EXPECT(memcmp(order[1], next.samples, sizeof next.samples) != 0); /* nor does epoch 1 repeat */
    batch_schedule_release(&c);
}

/* Strided parts change hands each epoch; a further pass keeps the hand of its epoch. */
static void test_a_redealt_worker_repeats_the_samples_of_its_epoch(void)
{
    struct rig r;
    struct batch_schedule c;
    int64_t sizes[WORKERS] = {14, 13, 13};

    rig_init(&r);
    r.partition.redeal = true;
    r.partition.counts = sizes;
    r.partition.dealt = dealt_order_new(r.numbers, SAMPLES, (struct sample_files){0});
    struct batch_schedule_setup setup = setup_of(&r, 1);
    setup.epoch_batches = 8; /* two passes of 4 batches */
    setup.uneven = UNEVEN_REPEAT;
    batch_schedule_init(&c, &setup);
    for (int epoch = 0; epoch < 2; epoch++) {
        int seen[SAMPLES] = {0}, twice = 0;
        for (int b = 0; b < 8; b++) {
            const struct draw d = take(&c);
            for (int64_t i = 0; i < d.size; i++)
                seen[d.samples[i]]++;
        }
        for (int64_t i = 0; i < SAMPLES; i++) {
            EXPECT(seen[i] == 0 || seen[i] == 2);
            twice += seen[i] == 2;
        }
        EXPECT_INT(twice, 13);
    }
    batch_schedule_release(&c);
    dealt_order_free(r.partition.dealt);
}

static void test_a_course_goes_on_from_any_place(void)
{
    static const enum uneven policies[] = {UNEVEN_EMPTY, UNEVEN_REPEAT};
    static const int64_t lengths[] = {0, 2, 5, 7};
    struct rig r;

    rig_init(&r);
    for (int k = 0; k < 2 * 4 * WORKERS; k++) {
        struct batch_schedule_setup setup = setup_of(&r, k / 8);
        struct batch_schedule c, other;
        struct draw draws[DRAWS];

        setup.uneven = policies[k % 2];
        setup.epoch_batches = lengths[k / 2 % 4];
        batch_schedule_init(&c, &setup);
        batch_schedule_init(&other, &setup);
        for (int n = 0; n < DRAWS; n++)
            draws[n] = take(&c);
        for (int n = DRAWS - 1; n >= 0; n -= 5) { /* backwards too */
            batch_schedule_seek(&other, n / c.epoch_batches, n % c.epoch_batches);
            for (int m = n; m < DRAWS; m++) {
                const struct draw d = take(&other);
                EXPECT(memcmp(&d, &draws[m], sizeof d) == 0);
            }
        }
        batch_schedule_seek(&other, 0,
                            c.epoch_batches); /* the end of an epoch is the next one's start */
        EXPECT_INT(take(&other).epoch, 1);
        batch_schedule_release(&c);
        batch_schedule_release(&other);
    }
}

TEST_MAIN(TEST(test_without_a_partition_the_whole_split_is_visited),
          TEST(test_a_worker_without_data_draws_empty_batches),
          TEST(test_its_own_number_of_batches_is_the_epoch_if_nobody_says_another),
          TEST(test_an_epoch_shorter_than_a_workers_data_is_cut),
          TEST(test_a_repeating_worker_starts_over_in_another_order),
          TEST(test_a_repeated_pass_has_each_sample_once_and_its_own_order),
          TEST(test_a_redealt_worker_repeats_the_samples_of_its_epoch),
          TEST(test_a_course_goes_on_from_any_place))
