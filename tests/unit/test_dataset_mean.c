/*
 * test_dataset_mean.c - files of one data set under the name of another are noticed, and no others.
 */
#include "data/dataset_mean.h"
#include "data/list.h"
#include "test.h"

static void expect_doubt(const struct dataset_ops *ops, int64_t count, double mean,
                         const char *expected)
{
    struct text doubt = {0};

    dataset_mean_doubt_of(ops, count, mean, &doubt);
    EXPECT_TEXT(text_get(&doubt), expected);
    text_release(&doubt);
}

static void test_the_files_of_another_set_are_named(void)
{
    static const char clothes[] =
        "the mean of the pixels is 0.2860, and that of mnist is 0.1307; these seem to be the files "
        "of fashion_mnist (0.2860)";

    expect_doubt(&mnist_data, 60000, 0.28604, clothes);
    expect_doubt(&mnist_data, 1000, 0.28604, clothes); /* a part of them */
    expect_doubt(
        &fashion_mnist_data, 60000, 0.1310,
        "the mean of the pixels is 0.1310, and that of fashion_mnist is 0.2860; these seem "
        "to be the files of mnist (0.1307)");
}

static void test_a_whole_set_with_another_mean_is_told(void)
{
    expect_doubt(&mnist_data, 60000, 0.1918, /* Kuzushiji-MNIST */
                 "the mean of the pixels is 0.1918, and that of mnist is 0.1307; these seem to be "
                 "other files");
    expect_doubt(
        &cifar10_data, 50000, 0.44,
        "the mean of the pixels is 0.4400, and that of cifar10 is 0.4734; these seem to be "
        "other files");
}

/* Also not what tests and experiments make: small sets, and means that are no known set's. */
static void test_the_right_files_and_other_sets_are_left_alone(void)
{
    expect_doubt(&mnist_data, 60000, 0.13066, "");
    expect_doubt(&fashion_mnist_data, 60000, 0.28604, "");
    expect_doubt(&cifar10_data, 50000, 0.47336, "");
    expect_doubt(&cifar100_data, 50000, 0.47818, "");
    expect_doubt(&mnist_data, 1000, 0.451, "");
    expect_doubt(&mnist_data, 200, 0.286, "");
    expect_doubt(&cifar10_data, 10000, 0.4782, ""); /* cifar100's mean is as near as chance */
    expect_doubt(&figures_data, 60000, 0.5, "");
}

TEST_MAIN(TEST(test_the_files_of_another_set_are_named),
          TEST(test_a_whole_set_with_another_mean_is_told),
          TEST(test_the_right_files_and_other_sets_are_left_alone))
