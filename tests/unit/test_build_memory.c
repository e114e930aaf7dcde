/*
 * test_build_memory.c - the estimate of a run's memory, before anything large is allocated.
 */
#include "conf/yaml.h"
#include "test.h"
#include "train/build.h"
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

TEST_MAIN(TEST(test_only_the_server_has_the_vectors_of_an_optimiser),
          TEST(test_workers_without_a_server_have_them_each), TEST(test_an_outer_optimiser_counts),
          TEST(test_the_data_set_counts),
          TEST(test_what_workers_hold_while_they_wait_counts_for_each))
