/*
 * test_file_order.c - epochs that visit one file after the other.
 */
#include "base/mem.h"
#include "data/file_order.h"
#include "data/sampler.h"
#include "test.h"
#include "unit/partition_case.h"

/* Samples are the numbers that 4 does not divide, up to 137. The third file has none of them. */
enum { COUNT = 103, LAST = 138, WORKERS = 3, FILES = 4 };
static int64_t ends[FILES] = {40, 60, 61, LAST};

static int file_of(int64_t number)
{
    int k = 0;

    while (number >= ends[k])
        k++;
    return k;
}

struct crew {
    struct partition_case c;
    struct partition p;
    struct sampler samplers[WORKERS];
};

static void crew_start(struct crew *crew, const char *options, int workers, int64_t files)
{
    case_init(&crew->c, COUNT, 5);
    crew->c.request.workers = workers;
    crew->c.request.seed = 4;
    crew->c.request.files = (struct sample_files){files, ends};
    EXPECT_OK(case_deal(&crew->c, options, &crew->p));
    for (int w = 0; w < workers; w++)
        sampler_init_part(&crew->samplers[w], (struct sampler_part){&crew->p, w}, 4, 4);
}

static void crew_end(struct crew *crew)
{
    for (int w = 0; w < crew->p.workers; w++)
        sampler_release(&crew->samplers[w]);
    partition_release(&crew->p);
    case_release(&crew->c);
}

static void expect_files_ascend(const struct sampler *s)
{
    int64_t sorted = 0;

    for (int64_t i = 1; i < s->count; i++) {
        EXPECT(file_of(s->order[i - 1]) <= file_of(s->order[i]));
        sorted += s->order[i - 1] < s->order[i];
    }
    EXPECT(sorted > s->count / 4 && sorted < 3 * s->count / 4); /* within a file: at random */
}

static void test_a_worker_visits_each_sample_once_and_file_by_file(void)
{
    static const char *const names[] = {"split", "strided", "{name: strided, redeal: false}",
                                        "sorted", "dirichlet"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct crew crew;

        crew_start(&crew, names[k], WORKERS, FILES);
        for (int64_t epoch = 0; epoch < 3; epoch++) {
            int64_t seen[LAST] = {0};

            for (int w = 0; w < WORKERS; w++) {
                sampler_seek(&crew.samplers[w], epoch, 0);
                expect_files_ascend(&crew.samplers[w]);
                for (int64_t i = 0; i < crew.samplers[w].count; i++)
                    seen[crew.samplers[w].order[i]]++;
            }
            for (int64_t i = 0; i < LAST; i++)
                EXPECT_INT(seen[i], i % 4 != 0);
        }
        crew_end(&crew);
    }
}

static void test_every_worker_with_the_whole_set_goes_file_by_file_in_its_own_order(void)
{
    struct crew crew;

    crew_start(&crew, "shared", WORKERS, FILES);
    for (int w = 0; w < WORKERS; w++) {
        expect_files_ascend(&crew.samplers[w]);
        EXPECT_INT(crew.samplers[w].count, COUNT);
        EXPECT((memcmp(crew.samplers[w].order, crew.samplers[0].order, COUNT * sizeof *ends) ==
                0) == (w == 0));
    }
    crew_end(&crew);
}

/* rng_order sorts by a number of each sample: that of a file is the part of the global order. */
static void test_the_order_within_a_file_is_that_of_the_global_order(void)
{
    struct crew files, global;

    crew_start(&files, "shared", 1, FILES);
    crew_start(&global, "shared", 1, 0);
    for (int64_t epoch = 0; epoch < 3; epoch++) {
        int64_t at = 0;

        sampler_seek(&files.samplers[0], epoch, 0);
        sampler_seek(&global.samplers[0], epoch, 0);
        for (int k = 0; k < FILES; k++)
            for (int64_t i = 0; i < COUNT; i++)
                if (file_of(global.samplers[0].order[i]) == k)
                    EXPECT_INT(files.samplers[0].order[at++], global.samplers[0].order[i]);
        EXPECT_INT(at, COUNT);
    }
    crew_end(&files);
    crew_end(&global);
}

/* W workers with batches of B / W: step by step the samples of one worker with batches of B. */
static void test_strided_workers_take_every_third_sample_of_the_order_of_one(void)
{
    struct crew crew, one;

    crew_start(&crew, "strided", WORKERS, FILES);
    crew_start(&one, "strided", 1, FILES);
    for (int64_t epoch = 0; epoch < 4; epoch++) {
        sampler_seek(&one.samplers[0], epoch, 0);
        for (int w = 0; w < WORKERS; w++) {
            sampler_seek(&crew.samplers[w], epoch, 0);
            for (int64_t i = 0; i < crew.samplers[w].count; i++)
                EXPECT_INT(crew.samplers[w].order[i], one.samplers[0].order[w + i * WORKERS]);
        }
    }
    crew_end(&crew);
    crew_end(&one);
}

static void test_later_passes_and_resumed_samplers_go_file_by_file_too(void)
{
    struct crew a, b;

    crew_start(&a, "strided", WORKERS, FILES);
    crew_start(&b, "strided", WORKERS, FILES);
    sampler_seek_pass(&a.samplers[1], 2, 1, 0);
    expect_files_ascend(&a.samplers[1]);
    sampler_seek(&a.samplers[1], 0, 0);
    for (int64_t step = 0; step < 30; step++) {
        int64_t size_a = 0, size_b = 0;

        sampler_seek(&b.samplers[1], a.samplers[1].epoch, a.samplers[1].batch);
        const int64_t *numbers_a = sampler_next(&a.samplers[1], &size_a);
        const int64_t *numbers_b = sampler_next(&b.samplers[1], &size_b);

        EXPECT_INT(size_a, size_b);
        EXPECT(memcmp(numbers_a, numbers_b, (size_t)size_a * sizeof *numbers_a) == 0);
        sampler_seek(&b.samplers[1], 9, 1);
    }
    crew_end(&a);
    crew_end(&b);
}

static void test_files_are_listed_by_their_ends(void)
{
    struct sample_files f = {0};

    for (int64_t k = 0; k < 20; k++)
        sample_files_add(&f, k * k);
    EXPECT_INT(f.count, 20);
    for (int64_t k = 0; k < 20; k++)
        EXPECT_INT(f.ends[k], k * k);
    sample_files_release(&f);
    sample_files_release(&f);
}

TEST_MAIN(TEST(test_a_worker_visits_each_sample_once_and_file_by_file),
          TEST(test_every_worker_with_the_whole_set_goes_file_by_file_in_its_own_order),
          TEST(test_the_order_within_a_file_is_that_of_the_global_order),
          TEST(test_strided_workers_take_every_third_sample_of_the_order_of_one),
          TEST(test_later_passes_and_resumed_samplers_go_file_by_file_too),
          TEST(test_files_are_listed_by_their_ends))
