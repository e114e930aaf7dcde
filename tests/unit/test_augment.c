/*
 * test_augment.c - views of pictures: they repeat, exist for every size, and flips are fair.
 * test_golden_views.c compares with the rules of torchvision and the pixels of Pillow.
 */
#include "base/mem.h"
#include "data/augment.h"
#include "test.h"

enum { SAMPLES = 4000, CHANNELS = 3 };

static struct view view_of(const struct augment *a, int64_t sample, int64_t epoch)
{
    return augment_view(a, 500, 375, (struct augment_key){.seed = 3, sample, epoch});
}

static bool is_same(const struct view *a, const struct view *b)
{
    return memcmp(&a->crop, &b->crop, sizeof a->crop) == 0 && a->width == b->width &&
           a->height == b->height && memcmp(&a->window, &b->window, sizeof a->window) == 0 &&
           a->is_flipped == b->is_flipped;
}

static void test_a_view_depends_on_seed_sample_and_epoch_alone(void)
{
    const struct augment a = augment_resized(224, 224);
    const struct augment_key key = {.seed = 1, .sample = 77, .epoch = 5};
    const struct augment_key others[] = {
        {2, 77, 5},
        {1, 78, 5},
        {1, 77, 6},
    };
    const struct view first = augment_view(&a, 500, 375, key);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const struct view other = augment_view(&a, 500, 375, others[i]);
        const struct view again = augment_view(&a, 500, 375, key);

        EXPECT(!is_same(&first, &other));
        EXPECT(is_same(&first, &again));
    }
}

/* Flipping or not, the crop is the same: one option does not change the numbers of another. */
static void test_flips_do_not_change_crops(void)
{
    struct augment a = augment_resized(224, 224), flipping = a;

    flipping.is_flipping = true;
    for (int64_t i = 0; i < 100; i++) {
        const struct view v = view_of(&a, i, 0);
        struct view w = view_of(&flipping, i, 0);

        w.is_flipped = false;
        EXPECT(is_same(&v, &w));
    }
}

/* Standard deviation of the mean of 4000 fair coins: 0.008; 4 of them. */
static void test_half_of_the_views_are_flipped(void)
{
    struct augment a = augment_padded(500, 375, 4);
    int64_t flips = 0, windows[9] = {0};

    a.is_flipping = true;
    for (int64_t i = 0; i < SAMPLES; i++) {
        const struct view v = view_of(&a, i, 1);

        flips += v.is_flipped;
        EXPECT(v.window.x >= -4 && v.window.x <= 4 && v.window.y >= -4 && v.window.y <= 4);
        windows[v.window.x + 4]++;
    }
    EXPECT_NEAR((double)flips / SAMPLES, 0.5, 0.032);
    for (int i = 0; i < 9; i++) /* each has 444 of 4000; standard deviation 20 */
        EXPECT_NEAR((double)windows[i], SAMPLES / 9.0, 80);
}

static void test_pictures_of_any_size_have_views(void)
{
    static const int64_t sizes[][2] = {
        {1,     1    },
        {1,     65536},
        {65536, 1    },
        {3,     2    },
        {16384, 16384}
    };
    const struct augment rules[] = {augment_center(224, 224, 256), augment_center(24, 24, 0),
                                    augment_padded(32, 32, 4), augment_resized(224, 224)};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
            const struct view v = augment_view(&rules[k], sizes[i][0], sizes[i][1],
                                               (struct augment_key){.seed = 9, .sample = 4});

            EXPECT(v.crop.width > 0 && v.crop.x + v.crop.width <= sizes[i][0]);
            EXPECT(v.crop.height > 0 && v.crop.y + v.crop.height <= sizes[i][1]);
            EXPECT_INT(v.window.width, rules[k].width);
            EXPECT_INT(v.window.height, rules[k].height);
        }
    }
}

/* --- rendering --- */

enum { WIDTH = 7, HEIGHT = 5, SIDE = 9 };

static void make_picture(uint8_t *pixels)
{
    for (int i = 0; i < WIDTH * HEIGHT * CHANNELS; i++)
        pixels[i] = (uint8_t)(i + 1);
}

static const uint8_t *at(const uint8_t *pixels, int64_t width, int64_t x, int64_t y)
{
    return pixels + (y * width + x) * CHANNELS;
}

static void test_what_is_outside_of_the_picture_is_zero(void)
{
    static const uint8_t zero[CHANNELS];
    uint8_t pixels[WIDTH * HEIGHT * CHANNELS], out[SIDE * SIDE * CHANNELS];
    const struct resize_source picture = {pixels, WIDTH, HEIGHT, WIDTH * CHANNELS};
    struct view v = {
        .crop = {0,  0,  WIDTH, HEIGHT},
        .width = WIDTH,
        .height = HEIGHT,
        .window = {-3, -1, SIDE,  SIDE  }
    };
    struct resizer r = {0};

    make_picture(pixels);
    for (int flipped = 0; flipped < 2; flipped++) {
        v.is_flipped = flipped == 1;
        memset(out, 0xee, sizeof out);
        view_render(&r, out, &picture, &v);
        for (int64_t y = 0; y < SIDE; y++) {
            for (int64_t x = 0; x < SIDE; x++) {
                const bool is_inside = x >= 3 && x < 3 + WIDTH && y >= 1 && y < 1 + HEIGHT;
                const uint8_t *expected = is_inside ? at(pixels, WIDTH, x - 3, y - 1) : zero;
                const int64_t column = v.is_flipped ? SIDE - 1 - x : x;

                EXPECT_INT(memcmp(at(out, SIDE, column, y), expected, CHANNELS), 0);
            }
        }
    }
    resizer_release(&r);
}

static void test_a_window_far_away_is_all_zero(void)
{
    uint8_t pixels[WIDTH * HEIGHT * CHANNELS], out[4 * CHANNELS];
    const struct resize_source picture = {pixels, WIDTH, HEIGHT, WIDTH * CHANNELS};
    const struct view v = {
        .crop = {0,  0,  WIDTH, HEIGHT},
          .width = 30, .height = 30, .window = {31, 40, 2,     2     }
    };
    struct resizer r = {0};

    make_picture(pixels);
    memset(out, 0xee, sizeof out);
    view_render(&r, out, &picture, &v);
    for (size_t i = 0; i < sizeof out; i++)
        EXPECT_INT(out[i], 0);
    resizer_release(&r);
}

TEST_MAIN(TEST(test_a_view_depends_on_seed_sample_and_epoch_alone),
          TEST(test_flips_do_not_change_crops), TEST(test_half_of_the_views_are_flipped),
          TEST(test_pictures_of_any_size_have_views),
          TEST(test_what_is_outside_of_the_picture_is_zero),
          TEST(test_a_window_far_away_is_all_zero))
