/*
 * test_gather.c - gathering and normalising, by closed forms. What resizing gives is compared with
 * PyTorch in golden/test_golden_images.c.
 */
#include "base/mem.h"
#include "data/gather.h"
#include "test.h"

static void picture_release(struct dataset *d)
{
    mem_free(d->train.bytes);
    mem_free(d->train.values);
}

/* Five pictures of 6 x 5 x 2 with different bytes. */
enum { PICTURES = 5, PICTURE = 6 * 5 * 2, BYTES = PICTURES * PICTURE };

static void several_init(struct dataset *d)
{
    *d = (struct dataset){.height = 6, .width = 5, .channels = 2, .classes = 3};
    d->train.count = PICTURES;
    d->train.bytes = MEM_NEW_N(uint8_t, BYTES);
    for (int64_t i = 0; i < BYTES; i++)
        d->train.bytes[i] = (uint8_t)(i * 89 % 256);
}

static void test_samples_come_in_the_order_of_their_numbers_and_normalised_per_channel(void)
{
    const int64_t numbers[] = {4, 0, 4};
    float out[3 * PICTURE];
    struct dataset d;
    struct gather g = {.dataset = &d, .height = 6, .width = 5};

    several_init(&d);
    EXPECT_OK(normalizer_init(&g.normalizer, "0.5,0.25,2,4", &d));
    gather_inputs(out, &g, &d.train, numbers, 3);
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t k = 0; k < PICTURE; k++) {
            const double x = (double)d.train.bytes[numbers[i] * PICTURE + k] / 255.0;
            const double expected = k % 2 == 0 ? (x - 0.5) / 2.0 : (x - 0.25) / 4.0;

            EXPECT_NEAR((double)out[i * PICTURE + k], expected, 1e-7); /* float of at most 0.25 */
        }
    }
    normalizer_release(&g.normalizer);
    picture_release(&d);
}

static void test_bits_do_not_depend_on_how_the_batch_is_split(void)
{
    enum { OUT = 9 * 4 * 2 };
    const int64_t numbers[] = {3, 1, 4, 0, 2};
    float whole[PICTURES * OUT], parts[PICTURES * OUT];
    struct dataset d;
    struct gather g = {.dataset = &d, .height = 9, .width = 4};

    several_init(&d);
    EXPECT_OK(normalizer_init(&g.normalizer, "channel", &d));
    gather_inputs(whole, &g, &d.train, numbers, PICTURES);
    gather_inputs(parts, &g, &d.train, numbers, 2);
    gather_inputs(parts + (size_t)2 * OUT, &g, &d.train, numbers + 2, 1);
    gather_inputs(parts + (size_t)3 * OUT, &g, &d.train, numbers + 3, 2);
    EXPECT(memcmp((const char *)whole, (const char *)parts, sizeof whole) == 0);
    normalizer_release(&g.normalizer);
    picture_release(&d);
}

static void test_labels_and_targets_follow_the_numbers(void)
{
    const int64_t numbers[] = {2, 0};
    int32_t labels[] = {5, 6, 7}, got[2];
    float targets[] = {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F}, got_targets[4];
    const struct samples with_labels = {.count = 3, .labels = labels};
    const struct samples with_targets = {.count = 3, .targets = targets};

    gather_labels(got, &with_labels, numbers, 2);
    EXPECT_INT(got[0], 7);
    EXPECT_INT(got[1], 5);
    gather_targets(got_targets, &with_targets, 2, numbers, 2);
    EXPECT_NEAR((double)got_targets[0], 4.0, 0.0);
    EXPECT_NEAR((double)got_targets[1], 5.0, 0.0);
    EXPECT_NEAR((double)got_targets[3], 1.0, 0.0);
}

static void test_set_and_channel_are_the_mean_and_the_unbiased_deviation(void)
{
    struct dataset d = {.height = 16, .width = 16, .channels = 2, .classes = 1};
    struct normalizer n;

    /* Channel 0 holds 0..255 once each, channel 1 holds 51 (0.2) everywhere. */
    d.train.count = 1;
    d.train.bytes = MEM_NEW_N(uint8_t, 512);
    for (int64_t i = 0; i < 256; i++) {
        d.train.bytes[2 * i] = (uint8_t)i;
        d.train.bytes[2 * i + 1] = 51;
    }
    EXPECT_OK(normalizer_init(&n, "channel", &d));
    EXPECT_NEAR((double)n.mean[0], 0.5, 1e-7);
    EXPECT_NEAR((double)n.std[0], sqrt(256.0 * 257.0 / 12.0) / 255.0, 1e-7); /* 0..n-1, unbiased */
    EXPECT_NEAR((double)n.mean[1], 0.2, 1e-7);
    EXPECT_NEAR((double)n.std[1], 1.0, 0.0); /* constant: nothing to divide by */
    normalizer_release(&n);
    EXPECT_OK(normalizer_init(&n, "set", &d));
    EXPECT_NEAR((double)n.mean[0], 0.35, 1e-7);
    EXPECT_NEAR((double)n.mean[1], 0.35, 1e-7);
    /* Both halves: within 255 * 257 / 12 * 256 (sum), between 2 * 256 * 38.25^2. */
    EXPECT_NEAR((double)n.std[1],
                sqrt((255.0 * 257.0 / 12.0 * 256.0 + 512.0 * 38.25 * 38.25) / 511.0) / 255.0, 1e-7);
    normalizer_release(&n);
    d.known_mean = 0.1307F;
    d.known_std = 0.3081F;
    EXPECT_OK(normalizer_init(&n, "set", &d));
    EXPECT_NEAR((double)n.mean[1], 0.1307, 1e-7);
    EXPECT_NEAR((double)n.std[1], 0.3081, 1e-7);
    normalizer_release(&n);
    normalizer_measure(&n, NORMALIZER_SET, &d);
    EXPECT_NEAR((double)n.mean[0], 0.35, 1e-7);
    normalizer_release(&n);
    mem_free(d.train.bytes);
}

static void test_floats_are_measured_in_their_own_unit(void)
{
    float values[] = {-100.0F, 1.0F, 0.0F, 2.0F, 100.0F, 3.0F};
    struct dataset d = {.height = 1, .width = 1, .channels = 2, .target_size = 1};
    struct normalizer n;

    d.train = (struct samples){.count = 3, .values = values};
    EXPECT_OK(normalizer_init(&n, "channel", &d));
    EXPECT_NEAR((double)n.mean[0], 0.0, 0.0);
    EXPECT_NEAR((double)n.std[0], 100.0, 1e-5);
    EXPECT_NEAR((double)n.mean[1], 2.0, 1e-7);
    EXPECT_NEAR((double)n.std[1], 1.0, 1e-7);
    normalizer_release(&n);
    EXPECT_OK(normalizer_init(&n, "none", &d));
    EXPECT_NEAR((double)n.mean[0], 0.0, 0.0);
    EXPECT_NEAR((double)n.std[0], 1.0, 0.0);
    normalizer_release(&n);
}

/* Column c has c, c + 2 and c + 4: mean c + 2, deviation 2. */
static void test_hundreds_of_columns_are_normalised_each_by_its_own_figures(void)
{
    enum { COLUMNS = 700 };
    struct dataset d = {.height = 1, .width = 1, .channels = COLUMNS, .target_size = 1};
    struct gather g = {.dataset = &d, .height = 1, .width = 1};
    float *out = MEM_NEW_N(float, COLUMNS);

    d.train = (struct samples){.count = 3, .values = MEM_NEW_N(float, 3 * COLUMNS)};
    for (int64_t i = 0; i < 3L * COLUMNS; i++)
        d.train.values[i] = (float)(i % COLUMNS + 2 * (i / COLUMNS));
    EXPECT_OK(normalizer_init(&g.normalizer, "channel", &d));
    gather_inputs(out, &g, &d.train, (int64_t[]){2}, 1);
    for (int64_t c = 0; c < COLUMNS; c++)
        EXPECT_NEAR((double)out[c], 1.0, 1e-6); /* a few roundings of numbers of order 1 */
    normalizer_release(&g.normalizer);
    mem_free(d.train.values);
    mem_free(out);
}

static void test_wrong_words_for_normalize_are_refused_with_what_would_be_right(void)
{
    static const char *const wrong[] = {"",      "sett",      "0.5",     "0.5,",  ",0.5",
                                        "1,2,3", "1,2,3,4,5", "0.5;0.5", "nan,1", "0,inf"};
    struct dataset d = {.height = 1, .width = 1, .channels = 2};
    struct normalizer n;

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        EXPECT_FAILS(normalizer_init(&n, wrong[k], &d), STATUS_BAD_INPUT,
                     "is not none, set, channel or M,S");
    EXPECT_FAILS(normalizer_init(&n, "0.5,0", &d), STATUS_BAD_INPUT, "deviation 0 is not > 0");
    EXPECT_FAILS(normalizer_init(&n, "0,0,1,-1", &d), STATUS_BAD_INPUT, "deviation -1 is not > 0");
    EXPECT_OK(normalizer_init(&n, "0.25,2", &d));
    EXPECT_NEAR((double)n.mean[1], 0.25, 0.0);
    EXPECT_NEAR((double)n.std[1], 2.0, 0.0);
    normalizer_release(&n);
}

TEST_MAIN(TEST(test_samples_come_in_the_order_of_their_numbers_and_normalised_per_channel),
          TEST(test_bits_do_not_depend_on_how_the_batch_is_split),
          TEST(test_labels_and_targets_follow_the_numbers),
          TEST(test_set_and_channel_are_the_mean_and_the_unbiased_deviation),
          TEST(test_floats_are_measured_in_their_own_unit),
          TEST(test_hundreds_of_columns_are_normalised_each_by_its_own_figures),
          TEST(test_wrong_words_for_normalize_are_refused_with_what_would_be_right))
