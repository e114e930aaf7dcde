/*
 * test_resize.c - windows and parts of pictures. test_golden_resize.c compares with Pillow.
 */
#include "base/mem.h"
#include "base/rng.h"
#include "data/resize.h"
#include "test.h"

enum { WIDTH = 61, HEIGHT = 47, CHANNELS = 3, ROW = WIDTH * CHANNELS };

static uint8_t *make_noise(void)
{
    const struct rng random = rng_make(5, RNG_TEST, 0);
    uint8_t *pixels = MEM_NEW_N(uint8_t, HEIGHT * ROW);

    for (uint64_t i = 0; i < HEIGHT * ROW; i++)
        pixels[i] = (uint8_t)rng_bits(&random, i, 0);
    return pixels;
}

/* Rows of `part` are those of `whole` from (x, y). */
static bool is_window(const uint8_t *part, const uint8_t *whole, int64_t whole_width,
                      struct pixel_box w)
{
    for (int64_t y = 0; y < w.height; y++) {
        const uint8_t *row = whole + ((w.y + y) * whole_width + w.x) * CHANNELS;

        if (memcmp(part + y * w.width * CHANNELS, row, (size_t)(w.width * CHANNELS)) != 0)
            return false;
    }
    return true;
}

static void check_windows(const struct resize_source *in, int64_t width, int64_t height)
{
    const struct pixel_box windows[] = {
        {0,         0,          1,         1         },
        {width - 1, height - 1, 1,         1         },
        {width / 3, height / 4, width / 2, height / 2},
        {0,         height / 2, width,     1         },
    };
    uint8_t *whole = MEM_NEW_N(uint8_t, CHANNELS * width * height);
    uint8_t *part = MEM_NEW_N(uint8_t, CHANNELS * width * height);
    struct resize_target t = resize_whole(in, width, height);
    struct resizer r = {0};

    resize_bilinear(&r, whole, in, &t);
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        t.window = windows[i];
        t.row_bytes = CHANNELS * windows[i].width;
        resize_bilinear(&r, part, in, &t);
        EXPECT(is_window(part, whole, width, windows[i]));
    }
    resizer_release(&r);
    resizer_release(&r); /* twice is fine */
    mem_free(whole);
    mem_free(part);
}

static void test_a_window_has_the_pixels_of_the_whole(void)
{
    uint8_t *pixels = make_noise();
    const struct resize_source in = {pixels, WIDTH, HEIGHT, ROW};

    check_windows(&in, 20, 17);
    check_windows(&in, 150, 99);
    check_windows(&in, 7, 200);
    mem_free(pixels);
}

/* A part of a picture as a source, and a copy of that part. */
static void test_pixels_outside_of_the_source_are_not_read(void)
{
    enum { X = 11, Y = 5, W = 30, H = 22, SIDE = 16 };
    uint8_t *pixels = make_noise(), *copy = MEM_NEW_N(uint8_t, W * H * CHANNELS);
    uint8_t a[SIDE * SIDE * CHANNELS], b[SIDE * SIDE * CHANNELS];
    const struct resize_source part = {pixels + Y * ROW + X * CHANNELS, W, H, ROW};
    const struct resize_source alone = {copy, W, H, W * CHANNELS};
    const struct resize_target t = resize_whole(&part, SIDE, SIDE);
    struct resizer r = {0};

    for (int64_t y = 0; y < H; y++)
        memcpy(copy + y * W * CHANNELS, part.pixels + y * ROW, W * CHANNELS);
    resize_bilinear(&r, a, &part, &t);
    resize_bilinear(&r, b, &alone, &t);
    EXPECT_INT(memcmp(a, b, sizeof a), 0);
    resizer_release(&r);
    mem_free(pixels);
    mem_free(copy);
}

/* Sums of rounded weights may be above 1; white must stay white, and black black. */
static void test_one_colour_stays_that_colour(void)
{
    static const uint8_t values[] = {0, 1, 127, 254, 255};
    static const int64_t sides[] = {1, 3, 46, 47, 300};
    uint8_t *pixels = MEM_NEW_N(uint8_t, HEIGHT * ROW);
    uint8_t *out = MEM_NEW_N(uint8_t, 300 * 300 * CHANNELS);
    const struct resize_source in = {pixels, WIDTH, HEIGHT, ROW};
    struct resizer r = {0};

    for (size_t v = 0; v < sizeof values; v++) {
        memset(pixels, values[v], HEIGHT * ROW);
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++) {
            const struct resize_target t = resize_whole(&in, sides[s], sides[s]);
            int64_t same = 0;

            resize_bilinear(&r, out, &in, &t);
            for (int64_t i = 0; i < CHANNELS * sides[s] * sides[s]; i++)
                same += out[i] == values[v];
            EXPECT_INT(same, CHANNELS * sides[s] * sides[s]);
        }
    }
    resizer_release(&r);
    mem_free(out);
    mem_free(pixels);
}

TEST_MAIN(TEST(test_a_window_has_the_pixels_of_the_whole),
          TEST(test_pixels_outside_of_the_source_are_not_read),
          TEST(test_one_colour_stays_that_colour))
