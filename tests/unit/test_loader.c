/*
 * test_loader.c - batches that are prepared in the background: the same bytes by any number of
 * threads, failures, replacement of broken samples, and stopping at any time.
 */
#include <string.h>

#include "data/loader.h"
#include "source_case.h"
#include "test.h"

static const int64_t none[] = {-1};

enum { BATCH = 13, BATCHES = 3 };

/* Batch k has samples k, k + 3, k + 6, ... */
static void set_batch(struct loader_batch *b, const struct dataset *d, int64_t k)
{
    b->part = &d->train;
    b->count = BATCH;
    b->view = (struct sample_view){.is_training = true, .seed = 5, .epoch = k};
    for (int64_t i = 0; i < BATCH; i++)
        b->numbers[i] = k + 3 * i;
}

static void load(uint8_t *out, int threads)
{
    struct dataset d;
    struct loader_batch batches[BATCHES];

    source_case_init(&d, none);
    const struct preparation p = source_case_preparation(&d);
    struct loader *l = loader_new(&p, threads);
    for (int64_t k = 0; k < BATCHES; k++) {
        loader_batch_init(&batches[k], &p, BATCH);
        set_batch(&batches[k], &d, k);
        loader_start(l, &batches[k]);
    }
    for (int64_t k = 0; k < BATCHES; k++) {
        EXPECT_OK(loader_finish(l, &batches[k]));
        memcpy(out + k * BATCH * CASE_BYTES, batches[k].bytes, (size_t)BATCH * CASE_BYTES);
        loader_batch_release(&batches[k]);
    }
    EXPECT_INT(atomic_load(&((struct source_case *)d.train.source)->reads), BATCHES * BATCH);
    loader_free(l);
    source_case_release(&d);
}

static void test_the_number_of_threads_changes_no_byte(void)
{
    static uint8_t alone[BATCHES * BATCH * CASE_BYTES], many[BATCHES * BATCH * CASE_BYTES];

    load(alone, 0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        memset(many, 0, sizeof many);
        load(many, threads);
        EXPECT(memcmp(alone, many, sizeof alone) == 0);
    }
}

static void test_a_view_depends_on_sample_epoch_and_seed_alone(void)
{
    struct dataset d;
    struct preparer scratch = {0};
    uint8_t bytes[4][CASE_BYTES];

    source_case_init(&d, none);
    const struct preparation p = source_case_preparation(&d);
    const struct sample_view first = {.is_training = true, .seed = 1, .epoch = 0};
    int64_t different = 0;
    for (int64_t number = 0; number < CASE_COUNT; number++) {
        const struct sample_view views[4] = {
            first,
            first,
            {.is_training = true, .seed = 1, .epoch = 1},
            {.is_training = false        },
        };

        for (int k = 0; k < 4; k++)
            EXPECT_OK(preparation_read(&p, &(struct sample_request){&d.train, number, &views[k]},
                                       &scratch, bytes[k]));
        EXPECT(memcmp(bytes[0], bytes[1], CASE_BYTES) == 0);
        different += memcmp(bytes[0], bytes[2], CASE_BYTES) != 0;
        EXPECT_INT(bytes[3][0], number);
        EXPECT_INT(bytes[3][CASE_BYTES - 2], CASE_SIDE * CASE_SIDE - 1);
    }
    EXPECT(different > CASE_COUNT / 2); /* 8 of 9 windows differ from a given one */
    preparer_release(&scratch);
    source_case_release(&d);
}

static void test_a_broken_sample_is_named_whoever_meets_it(void)
{
    static const int64_t broken[] = {9, 30, -1};

    for (int threads = 0; threads <= 4; threads += 2) {
        struct dataset d;
        struct loader_batch b;

        source_case_init(&d, broken);
        const struct preparation p = source_case_preparation(&d);
        struct loader *l = loader_new(&p, threads);
        loader_batch_init(&b, &p, BATCH);
        set_batch(&b, &d, 0);
        loader_start(l, &b);
        EXPECT_FAILS(loader_finish(l, &b), STATUS_IO, "picture 9: is broken");
        loader_batch_release(&b);
        loader_free(l);
        source_case_release(&d);
    }
}

static void test_broken_samples_are_replaced_by_the_next_of_their_class_up_to_the_limit(void)
{
    static const int64_t broken[] = {9, 13, 30, -1};
    const struct sample_view view = {.is_training = false};
    struct preparer scratch = {0};
    uint8_t bytes[CASE_BYTES];
    struct dataset d;

    source_case_init(&d, broken);
    struct preparation p = source_case_preparation(&d);
    p.broken = broken_samples_new(2);
    for (int again = 0; again < 2; again++) {
        EXPECT_OK(
            preparation_read(&p, &(struct sample_request){&d.train, 9, &view}, &scratch, bytes));
        EXPECT_INT(bytes[0], 17); /* 13 is broken too; both have the class of 9 */
    }
    EXPECT_INT(broken_samples_count(p.broken), 2);
    EXPECT(scratch.has_replaced);
    EXPECT_OK(preparation_read(&p, &(struct sample_request){&d.train, 8, &view}, &scratch, bytes));
    EXPECT(!scratch.has_replaced);
    EXPECT_FAILS(
        preparation_read(&p, &(struct sample_request){&d.train, 30, &view}, &scratch, bytes),
        STATUS_IO, "picture 30: is broken (broken samples so far: 3; data.broken allows 2)");
    char *paths[3];
    EXPECT_INT(broken_samples_paths(p.broken, paths, 3), 3);
    EXPECT_TEXT(paths[0], "picture 09");
    EXPECT_TEXT(paths[2], "picture 30");
    for (int k = 0; k < 3; k++)
        mem_free(paths[k]);
    EXPECT_INT(broken_samples_paths(p.broken, paths, 1), 1);
    mem_free(paths[0]);
    broken_samples_free(p.broken);
    preparer_release(&scratch);
    source_case_release(&d);
}

static void test_a_batch_counts_the_samples_that_were_replaced_whoever_prepares_it(void)
{
    static const int64_t broken[] = {3, 5, 30, -1};

    for (int threads = 0; threads <= 4; threads += 2) {
        struct dataset d;
        struct loader_batch b;

        source_case_init(&d, broken);
        struct preparation p = source_case_preparation(&d);
        p.broken = broken_samples_new(3);
        struct loader *l = loader_new(&p, threads);
        loader_batch_init(&b, &p, 4);
        b.part = &d.train;
        b.view = (struct sample_view){.is_training = true, .seed = 1};
        for (int64_t first = 0; first < CASE_COUNT; first += 4) {
            b.count = 4;
            for (int64_t i = 0; i < 4; i++)
                b.numbers[i] = first + i;
            loader_start(l, &b);
            EXPECT_OK(loader_finish(l, &b));
            EXPECT_INT(b.replaced, first == 0 || first == 4 || first == 28);
        }
        loader_batch_release(&b);
        loader_free(l);
        broken_samples_free(p.broken);
        source_case_release(&d);
    }
}

static void test_batches_are_given_up_at_any_time(void)
{
    struct dataset d;
    struct loader_batch b;

    source_case_init(&d, none);
    const struct preparation p = source_case_preparation(&d);
    struct loader *l = loader_new(&p, 3);
    loader_batch_init(&b, &p, BATCH);
    for (int64_t k = 0; k < 200; k++) {
        set_batch(&b, &d, k % 3);
        loader_start(l, &b);
        loader_cancel(l, &b);
    }
    set_batch(&b, &d, 1);
    loader_start(l, &b);
    EXPECT_OK(loader_finish(l, &b));
    loader_batch_release(&b);
    loader_free(l);
    source_case_release(&d);
}

static void test_the_policy_is_error_or_skip_and_a_number(void)
{
    static const char *const wrong[] = {"", "skip", "skip:", "skip:-1", "skip:x", "errors"};
    int64_t limit = 0;

    EXPECT_OK(broken_samples_parse("error", &limit));
    EXPECT_INT(limit, -1);
    EXPECT_OK(broken_samples_parse("skip:12", &limit));
    EXPECT_INT(limit, 12);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        EXPECT_FAILS(broken_samples_parse(wrong[i], &limit), STATUS_BAD_INPUT,
                     "is not error or skip:N");
}

TEST_MAIN(TEST(test_the_number_of_threads_changes_no_byte),
          TEST(test_a_view_depends_on_sample_epoch_and_seed_alone),
          TEST(test_a_broken_sample_is_named_whoever_meets_it),
          TEST(test_broken_samples_are_replaced_by_the_next_of_their_class_up_to_the_limit),
          TEST(test_a_batch_counts_the_samples_that_were_replaced_whoever_prepares_it),
          TEST(test_batches_are_given_up_at_any_time),
          TEST(test_the_policy_is_error_or_skip_and_a_number))
