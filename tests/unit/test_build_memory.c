/*
 * test_build_memory.c - the estimate of a run's memory, before anything large is allocated.
 */
#include <stdlib.h>

#include "conf/yaml.h"
#include "test.h"
#include "train/build.h"
#include "train/memory_check.h"
#include "train/memory_estimate.h"

enum { WORKERS = 3 };

/* The estimate for three workers that share this host. */
static struct memory_estimate estimate(const char *algorithm, const char *optimizer, int64_t *state)
{
    char text[512];
    struct node *root = NULL;
    struct run_config e;
    struct build *b = NULL;
    struct memory_estimate bytes = {0};
    const struct build_size size = {.workers = WORKERS, .host_workers = WORKERS};

    snprintf(text, sizeof text,
             "{data: {name: figures, train_count: 300, test_count: 60}, model: mlp, optimizer: %s, "
             "algorithm: %s, transport: {workers: 3}, train: {batch_size: 10}}",
             optimizer, algorithm);
    if (!EXPECT_OK(yaml_parse(text, strlen(text), "test", &root)) ||
        !EXPECT_OK(run_config_read(&e, root)))
        return bytes;
    if (EXPECT_OK(build_new(&e, &size, &b))) {
        bytes = memory_estimate(b, &size);
        *state = b->layout.state_count * (int64_t)sizeof(float);
    }
    build_free(b);
    run_config_release(&e);
    node_free(root);
    return bytes;
}

static void test_only_the_server_has_the_vectors_of_an_optimiser(void)
{
    int64_t state = 1;
    const double sgd =
        estimate("ps-sync", "{name: sgd, momentum: 0.9}", &state).states / (double)state;
    const double adam = estimate("ps-sync", "adam", &state).states / (double)state;

    EXPECT_NEAR(adam - sgd, 1, 0); /* two moments instead of one, once */
}

static void test_workers_without_a_server_have_them_each(void)
{
    int64_t state = 1;
    const double plain = estimate("sync", "sgd", &state).states / (double)state;
    const double adam = estimate("sync", "adam", &state).states / (double)state;

    EXPECT_NEAR(adam - plain, 2 * WORKERS, 0); /* without momentum there is no vector */
}

/* The shared model, and the momentum of the outer optimiser if it has any. */
static void test_an_outer_optimiser_counts(void)
{
    int64_t state = 1;
    const double plain = estimate("local-sgd", "sgd", &state).states / (double)state;
    const double slow =
        estimate("{name: local-sgd, outer: {name: sgd, lr: 0.5}}", "sgd", &state).states /
        (double)state;
    const double diloco =
        estimate("{name: local-sgd, outer: {name: sgd, momentum: 0.9}}", "sgd", &state).states /
        (double)state;
    const double adam =
        estimate("{name: local-sgd, outer: adam}", "sgd", &state).states / (double)state;

    EXPECT_NEAR(slow - plain, WORKERS, 0);
    EXPECT_NEAR(diloco - plain, 2 * WORKERS, 0);
    EXPECT_NEAR(adam - plain, 3 * WORKERS, 0);
}

static void test_the_data_set_counts(void)
{
    int64_t state = 1;

    /* 28 x 28 bytes and a label of four; three lists of the numbers of training samples */
    EXPECT_NEAR(estimate("sync", "sgd", &state).data, 360 * (784 + 4) + 3 * 300 * 8, 0);
}

static void test_what_workers_hold_while_they_wait_counts_for_each(void)
{
    int64_t state = 1;
    const double solo = estimate("{name: solo}", "sgd", &state).states / (double)state;
    const double dsgd = estimate("{name: dsgd, form: atc}", "sgd", &state).states / (double)state;
    const double dsgt = estimate("{name: dsgt}", "sgd", &state).states / (double)state;

    EXPECT_NEAR(dsgt - dsgd, (2 + 1) * WORKERS, 0); /* y and the last gradient; a second message */
    EXPECT(dsgd - solo >= WORKERS);                 /* a message, and more scratch */
}

/* --- whether it fits --- */

struct sizes {
    int64_t samples, batch, micro_batch;
};

/* A run of one worker that is built, for `check`. */
static void with_build(struct sizes s, void (*check)(const struct build *b, void *context),
                       void *context)
{
    char text[512];
    struct node *root = NULL;
    struct run_config e;
    struct build *b = NULL;
    const struct build_size size = {.workers = 1, .host_workers = 1};

    snprintf(text, sizeof text,
             "{data: {name: figures, train_count: %lld, test_count: 60}, model: lenet5, "
             "train: {batch_size: %lld, micro_batch: %lld}}",
             (long long)s.samples, (long long)s.batch, (long long)s.micro_batch);
    if (!EXPECT_OK(yaml_parse(text, strlen(text), "test", &root)) ||
        !EXPECT_OK(run_config_read(&e, root)))
        return;
    if (EXPECT_OK(build_new(&e, &size, &b)))
        check(b, context);
    build_free(b);
    run_config_release(&e);
    node_free(root);
}

static const struct build_size one = {.workers = 1, .host_workers = 1};

static void note_estimate(const struct build *b, void *context)
{
    struct memory_estimate *m = context;

    *m = memory_estimate(b, &one);
}

static struct memory_estimate estimate_of(struct sizes s)
{
    struct memory_estimate m = {0};

    with_build(s, note_estimate, &m);
    return m;
}

/* Besides activations there are arrays of the batch: 16 bytes of each sample, twice. */
static void test_parts_of_a_batch_need_the_memory_of_a_small_batch(void)
{
    const double whole = estimate_of((struct sizes){1024, 1024, 0}).work;
    const double parts = estimate_of((struct sizes){1024, 1024, 64}).work;
    const double small = estimate_of((struct sizes){1024, 64, 0}).work;

    EXPECT(parts < whole / 5);
    EXPECT_NEAR(parts - small, 2 * (61706 * 4 + (1024 - 64) * 16), 0); /* a gradient of parts */
    EXPECT_NEAR(estimate_of((struct sizes){1024, 1024, 1024}).work, whole, 0);
    EXPECT_NEAR(estimate_of((struct sizes){1024, 1024, 5000}).work, whole, 0);
}

static double need_with(const struct build *b, int64_t batch, int64_t micro_batch)
{
    const struct memory_estimate m =
        memory_estimate_with(b, &one, (struct problem_batch){batch, micro_batch});

    return memory_estimate_total(&m);
}

/* The number after a flag in the message of the last failure. */
static int64_t number_after(const char *flag)
{
    const char *at = strstr(status_message(), flag);

    return EXPECT(at != NULL) ? strtoll(at + strlen(flag), NULL, 10) : 0;
}

/* With memory for exactly 700 samples at once, of which the system needs a twentieth. */
static void check_advice(const struct build *b, void *context)
{
    const struct host_memory have = {need_with(b, 700, 700) / 0.95 * (1 + 1e-9), "there are"};
    (void)context;

    EXPECT_INT(memory_check(b, &one, &have), STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "train.batch_size: training lenet5") != NULL);
    EXPECT(strstr(status_message(), "there are") != NULL);
    EXPECT_INT(number_after("--batch-size "), 700);
    const int64_t part = number_after("--micro-batch ");
    EXPECT_INT(part, 512);
    EXPECT(need_with(b, 1024, part) <= 0.95 * have.bytes);
    EXPECT(need_with(b, 701, 701) > 0.95 * have.bytes);
}

static void test_the_message_names_what_fits(void)
{
    with_build((struct sizes){1024, 1024, 0}, check_advice, NULL);
}

static void check_no_advice(const struct build *b, void *context)
{
    const struct host_memory have = {need_with(b, 1, 1) / 2, "there are"};
    (void)context;

    EXPECT_INT(memory_check(b, &one, &have), STATUS_BAD_INPUT);
    EXPECT(strstr(status_message(), "batches of 1024 in parts of 64 and 1 worker") != NULL);
    EXPECT(strstr(status_message(), "even batches of one sample need") != NULL);
    EXPECT(strstr(status_message(), "--micro-batch") == NULL);
    EXPECT_INT(
        memory_check(b, &one, &(struct host_memory){need_with(b, 1024, 64) * 1.06, "there are"}),
        STATUS_OK);
}

static void test_where_nothing_fits_no_batch_is_named(void)
{
    with_build((struct sizes){1024, 1024, 64}, check_no_advice, NULL);
}

TEST_MAIN(TEST(test_only_the_server_has_the_vectors_of_an_optimiser),
          TEST(test_workers_without_a_server_have_them_each), TEST(test_an_outer_optimiser_counts),
          TEST(test_the_data_set_counts),
          TEST(test_what_workers_hold_while_they_wait_counts_for_each),
          TEST(test_parts_of_a_batch_need_the_memory_of_a_small_batch),
          TEST(test_the_message_names_what_fits), TEST(test_where_nothing_fits_no_batch_is_named))
