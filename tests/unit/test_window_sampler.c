/*
 * test_window_sampler.c - batches of data that come in windows, alone and in a schedule of several
 * workers.
 */
#include "base/mem.h"
#include "problem/batch_schedule.h"
#include "test.h"

enum { BATCH = 4, WINDOW = 3, WORKERS = 2, DRAWS = 60, SAMPLES = 56 };

/* Robot 0 has 7 scans of 5 rows, windows [0,3) [3,6); robot 1 has 5 scans of 3 to 5 rows. */
static const int64_t scans[WORKERS] = {7, 5};
static const int64_t first_rows[WORKERS][8] = {
    {0,   5, 10, 15, 20, 25,  30, 35},
    {35, 38,  42,   47,   51,  56}
};

struct rig {
    struct lidar_windows windows[WORKERS];
    int64_t counts[WORKERS];
    struct partition partition;
};

static void rig_init(struct rig *r)
{
    *r = (struct rig){
        .counts = {35, 21}
    };
    for (int w = 0; w < WORKERS; w++)
        lidar_windows_init(&r->windows[w], first_rows[w], scans[w], WINDOW, BATCH);
    r->partition = (struct partition){.workers = WORKERS, .counts = r->counts};
}

static void rig_release(struct rig *r)
{
    for (int w = 0; w < WORKERS; w++)
        lidar_windows_release(&r->windows[w]);
}

static struct batch_schedule_setup setup_of(const struct rig *r, int worker)
{
    return (struct batch_schedule_setup){
        .partition = &r->partition,
        .worker = worker,
        .windows = r->windows,
        .seed = 3,
        .batch_size = BATCH,
        .epoch_batches = 7,
        .uneven = UNEVEN_EMPTY,
    };
}

static void test_a_window_has_each_of_its_rows_once(void)
{
    struct rig r;
    struct window_sampler s;
    int64_t draw = 0;

    rig_init(&r);
    window_sampler_init(&s, &r.windows[1], 3);
    for (int64_t window = 0; window < 7; window++) {
        int seen[SAMPLES] = {0};
        struct lidar_draw d = lidar_windows_draw(&r.windows[1], draw);
        const int64_t rows = d.end_row - d.first_row;

        for (int64_t at = 0; at < rows; draw++) {
            const int64_t *numbers = window_sampler_draw(&s, draw, &d);

            EXPECT_INT(d.window, window);
            for (int64_t i = 0; i < d.batch_size; i++)
                seen[numbers[i]]++;
            at += d.batch_size;
        }
        for (int64_t i = 0; i < SAMPLES; i++)
            EXPECT_INT(seen[i], i >= d.first_row && i < d.end_row);
    }
    window_sampler_release(&s);
    rig_release(&r);
}

static void test_the_same_window_has_another_order_in_another_cycle(void)
{
    struct rig r;
    struct window_sampler s;
    struct lidar_draw d;
    int64_t first[BATCH];

    rig_init(&r);
    window_sampler_init(&s, &r.windows[0], 3);
    memcpy(first, window_sampler_draw(&s, 0, &d), sizeof first);
    const int64_t cycle = r.windows[0].draws_before[r.windows[0].cycle];
    const int64_t *again = window_sampler_draw(&s, cycle, &d);
    EXPECT_INT(d.first_row, 0);
    EXPECT(memcmp(first, again, sizeof first) != 0); /* by chance once in 15 * 14 * 13 * 12 */
    window_sampler_release(&s);
    rig_release(&r);
}

/* What a resumed run does: it only knows the epoch and the batch. */
static void test_a_schedule_continues_at_any_draw_with_the_same_batches(void)
{
    struct rig r;

    rig_init(&r);
    for (int w = 0; w < WORKERS; w++) {
        const struct batch_schedule_setup setup = setup_of(&r, w);
        struct batch_schedule whole, resumed;

        batch_schedule_init(&whole, &setup);
        for (int64_t draw = 0; draw < DRAWS; draw++) {
            const struct scheduled_batch a = batch_schedule_next(&whole);

            batch_schedule_init(&resumed, &setup);
            batch_schedule_seek(&resumed, draw / 7, draw % 7);
            const struct scheduled_batch b = batch_schedule_next(&resumed);
            EXPECT_INT(a.size, b.size);
            EXPECT_INT(a.total, b.total);
            EXPECT_INT(a.epoch, b.epoch);
            EXPECT(memcmp(a.samples, b.samples, (size_t)a.size * sizeof *a.samples) == 0);
            batch_schedule_release(&resumed);
        }
        batch_schedule_release(&whole);
    }
    rig_release(&r);
}

/* The cycles of robot 0 have 8 draws, those of robot 1 have 6, whatever an epoch is. */
static void test_a_shorter_path_begins_again_earlier_and_is_never_without_samples(void)
{
    struct rig r;
    struct batch_schedule schedules[WORKERS];

    rig_init(&r);
    EXPECT_INT(r.windows[0].draws_before[r.windows[0].cycle], 8);
    EXPECT_INT(r.windows[1].draws_before[r.windows[1].cycle], 6);
    for (int w = 0; w < WORKERS; w++) {
        const struct batch_schedule_setup setup = setup_of(&r, w);
        batch_schedule_init(&schedules[w], &setup);
    }
    for (int64_t draw = 0; draw < DRAWS; draw++) {
        const struct scheduled_batch a = batch_schedule_next(&schedules[0]);
        const struct scheduled_batch b = batch_schedule_next(&schedules[1]);

        EXPECT(a.size > 0 && b.size > 0);
        EXPECT_INT(a.total, a.size + b.size);
        EXPECT_INT(a.total, b.total);
        EXPECT_INT(a.epoch / 2, draw / 8); /* two windows in a cycle of each */
        EXPECT_INT(b.epoch / 2, draw / 6);
        EXPECT(a.samples[0] < 35 && b.samples[0] >= 35);
    }
    for (int w = 0; w < WORKERS; w++)
        batch_schedule_release(&schedules[w]);
    rig_release(&r);
}

TEST_MAIN(TEST(test_a_window_has_each_of_its_rows_once),
          TEST(test_the_same_window_has_another_order_in_another_cycle),
          TEST(test_a_schedule_continues_at_any_draw_with_the_same_batches),
          TEST(test_a_shorter_path_begins_again_earlier_and_is_never_without_samples))
