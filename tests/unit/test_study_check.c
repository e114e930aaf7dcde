/*
 * test_study_check.c - mistakes of any run are found before the first begins, by the steps that the
 * run itself would take.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "conf/yaml.h"
#include "study/study.h"
#include "test.h"

#define FEW "data: {name: figures, train_count: 30, test_count: 10}\n"

static struct study *study_of(const char *content)
{
    struct node *root = NULL;
    struct study *s = NULL;

    EXPECT_OK(yaml_parse(content, strlen(content), "f.yaml", &root));
    EXPECT_OK(study_new(root, &(struct study_options){0}, &s));
    node_free(root);
    return s;
}

static enum status check(const char *content, bool may_lack_data)
{
    struct study *s = study_of(content);
    const enum status status =
        study_check(s, &(struct study_check){.may_lack_data = may_lack_data});

    study_free(s);
    return status;
}

static void refused(const char *content, const char *message)
{
    EXPECT_FAILS(check(content, false), STATUS_BAD_INPUT, message);
}

#define THREE "transport: {workers: 3}\n"

static void test_an_end_is_for_the_asynchronous_of_several_runs(void)
{
    EXPECT_OK(check(THREE "train: {ends: total}\n"
                          "algorithm: [sync, ps-async, {name: ps-async, staleness: 0}]\n",
                    true));
    EXPECT_FAILS(check(THREE "train: {ends: total}\nalgorithm: [sync, ps-sync]\n", true),
                 STATUS_BAD_INPUT, "train.ends: has no effect");
}

static void test_what_the_data_tell_is_found_in_all_cells(void)
{
    refused(
        FEW "runs:\n  a: {}\n  b: {problem: {loss: mse}}\n",
        "f.yaml:4:17: problem.loss: mse is a loss of numbers, but data set figures has classes");
    refused(FEW "transport: {workers: [2, 11]}\npartition: hetero\n",
            "f.yaml:3:1: partition: hetero needs a label for every worker, but there are 11");
    refused(FEW "transport: {workers: [2, 31]}\n",
            "f.yaml:2:26: transport.workers: 30 samples cannot be divided among 31 workers");
    refused(FEW "model: {name: mnist_conv, kernel_size: [5, 50]}\n",
            "f.yaml:2:44: model.kernel_size: 50 does not fit an input of 1x28x28");
    refused(
        "data: [{name: sine, train_count: 9}, {name: sine, train_count: 9, train_fraction: 0.1}]\n"
        "model: {name: mlp, widths: [4]}\n",
        "f.yaml:1:67: data.train_fraction: 0.1 of 9 samples leaves none");
    refused("data: [rooms, sine]\nmodel: {name: mlp, widths: [4]}\nproblem: {loss: bce}\n",
            "f.yaml:3:11: problem.loss: bce needs targets between 0 and 1; data set sine has");
}

static void test_what_the_algorithm_refuses_is_found_in_all_cells(void)
{
    refused(FEW "transport: {workers: 100000}\nalgorithm: dsgd\n",
            "f.yaml:2:13: transport.workers: 100000 is too many; a graph has at most 16384");
    refused(FEW "transport: {workers: 5}\nalgorithm: [sgp, cadmm]\ngraph: exponential\n",
            "f.yaml:4:1: graph: exponential is directed, but cadmm needs an undirected graph");
    refused(FEW "transport: {workers: 5}\nalgorithm: [sgp, dsgd]\n"
                "graph: {name: exponential, drop_links: 0.5}\n",
            "f.yaml:4:1: graph: the mixing matrix of exponential is not doubly stochastic");
    refused(FEW "transport: {workers: 3}\nalgorithm: choco\n"
                "graph: [cycle, {name: cycle, drop_links: 0.1}]\n",
            "graph: choco needs the same graph in all rounds");
    refused(FEW
            "transport: {workers: 3}\n"
            "algorithm: [{name: dsgd, form: cta, in_place: true}, {name: dsgd, in_place: true}]\n",
            "f.yaml:3:67: algorithm.in_place: needs form cta, not awc");
    refused(FEW "transport: {workers: 3}\nalgorithm: {name: choco, gamma: [auto, 2]}\n",
            "f.yaml:3:40: algorithm.gamma: '2' must be auto or a number in (0, 1]");
    refused(FEW "transport: {workers: 3}\nalgorithm: extra\noptimizer: {momentum: [0, 0.9]}\n",
            "f.yaml:4:27: optimizer.momentum: extra takes plain gradient steps");
}

/* The mistake in the file is told, whichever of the two stands first. */
static void test_data_that_are_missing_are_told_after_mistakes_of_the_file(void)
{
    static const char missing[] = "data: {name: mnist, dir: /nowhere}\nseed: [1, 2]\n";

    EXPECT_FAILS(check(missing, false), STATUS_IO,
                 "f.yaml:1:21: data.dir: data set mnist not found: no train-images-idx3-ubyte in "
                 "/nowhere/MNIST, ");
    EXPECT_HAS(status_message(), "to get it: ");
    EXPECT(strchr(status_message(), '\n') == NULL);
    EXPECT_OK(check(missing, true));
    refused("data: {name: mnist, dir: /nowhere}\noptimizer: {momentum: [0, 2]}\n",
            "f.yaml:2:27: optimizer.momentum: 2 is outside");
}

static void test_good_experiments_are_not_refused(void)
{
    EXPECT_OK(check(FEW "transport: {workers: [1, 5]}\nalgorithm: [dsgd, dsgt, choco, sgp, next]\n"
                        "graph: exponential\n",
                    false));
    EXPECT_OK(check(FEW "transport: {workers: 10}\npartition: [hetero, labels, split]\n", false));
    EXPECT_OK(check("data: rooms\nmodel: {name: mlp, widths: [4]}\nproblem: {loss: [bce, mse]}\n",
                    false));
}

/*
 * 500 runs that share 60000 samples, five partitions and 25 graphs: a fifth of a second. Were the
 * samples drawn for every run it would be minutes, so the bound is far from both.
 */
/* 2000 models of 281 million parameters are 2 TB; 10000 of 100 million 4 TB. */
static void test_what_does_not_fit_in_memory_is_found(void)
{
    refused(
        "data: {name: figures, train_count: 2000}\nmodel: {name: mlp, widths: [16384, 16384]}\n"
        "transport: {workers: [2, 2000]}\nseed: [1, 2]\n",
        "f.yaml:3:26: transport.workers: training mlp with batches of 1 and 2000 workers needs");
    refused("problem: {name: quadratic, size: [10, 100000000]}\ntransport: {workers: 10000}\n",
            "f.yaml:2:13: transport.workers: training quadratic with batches of 32 and 10000 "
            "workers needs");
}

static void test_many_cells_are_checked_in_no_time(void)
{
    static const char content[] = "data: figures\n"
                                  "algorithm: {name: [dsgd, dsgt, cadmm, extra, next]}\n"
                                  "graph: {name: [cycle, complete, wheel, erdos_renyi, torus]}\n"
                                  "partition: hetero\ntransport: {workers: 10}\n"
                                  "train: {batch_size: [8, 16, 32, 64]}\nseed: [1, 2, 3, 4, 5]\n";
    struct study *s = study_of(content);
    const double begin = clock_seconds();

    EXPECT_INT(s->count, 500);
    EXPECT_OK(study_check(s, &(struct study_check){0}));
    EXPECT(clock_seconds() - begin < 20);
    study_free(s);
}

TEST_MAIN(TEST(test_an_end_is_for_the_asynchronous_of_several_runs),
          TEST(test_what_the_data_tell_is_found_in_all_cells),
          TEST(test_what_the_algorithm_refuses_is_found_in_all_cells),
          TEST(test_data_that_are_missing_are_told_after_mistakes_of_the_file),
          TEST(test_what_does_not_fit_in_memory_is_found),
          TEST(test_good_experiments_are_not_refused), TEST(test_many_cells_are_checked_in_no_time))
