/*
 * test_floor_plan_prepare.c - pictures become floor plans.
 */
#include "data/floor_plan_prepare.h"
#include "floor_plan_case.h"

static const struct floor_plan_preparation as_it_is = {0};

/* Pixels in brackets of their grey; channels after one another are the same. */
static struct png_picture picture(int64_t width, int64_t height, int channels, const int *grey)
{
    struct png_picture p;

    png_picture_init(&p, width, height, channels);
    for (int64_t i = 0; i < width * height * channels; i++)
        p.pixels[i] = (uint8_t)grey[i / channels];
    return p;
}

static void expect_plan(const struct floor_plan *p, const char *const *rows)
{
    struct floor_plan expected = floor_plan_drawn(rows);

    EXPECT_INT(p->width, expected.width);
    EXPECT_INT(p->height, expected.height);
    if (p->width == expected.width && p->height == expected.height &&
        !EXPECT(memcmp(p->pixels, expected.pixels, (size_t)(p->width * p->height)) == 0)) {
        for (int64_t i = 0; i < p->width * p->height; i++)
            printf("%s%c%s", i % p->width == 0 ? "# " : "", p->pixels[i] != 0 ? '#' : '.',
                   i % p->width == p->width - 1 ? "\n" : "");
    }
    floor_plan_release(&expected);
}

static void check(const struct png_picture *in, const struct floor_plan_preparation *how,
                  const char *const *rows)
{
    struct floor_plan p;

    if (EXPECT_OK(floor_plan_prepare(&p, in, how, "in")))
        expect_plan(&p, rows);
    floor_plan_release(&p);
}

/* clang-format off */
static const int corner[] = {
    0,   0,   10,  0,
    0,   127, 128, 255,
    0,   255, 200, 255,
    0,   0,   0,   0,
};
static const char *const corner_plan[] = {"....", "..##", ".###", "....", NULL};
/* clang-format on */

static void test_pixels_are_wall_from_one_half(void)
{
    for (int channels = 1; channels <= 3; channels += 2) {
        struct png_picture in = picture(4, 4, channels, corner);

        check(&in, &as_it_is, corner_plan);
        png_picture_release(&in);
    }
}

static void test_green_is_brighter_than_blue(void)
{
    struct png_picture in;
    static const char *const expected[] = {"#..#", "....", "....", "....", NULL};

    png_picture_init(&in, 4, 4, 3);
    in.pixels[0 * 3 + 1] = 255; /* green: 0.587 */
    in.pixels[1 * 3 + 2] = 255; /* blue: 0.114 */
    in.pixels[2 * 3 + 0] = 255; /* red: 0.299 */
    in.pixels[3 * 3 + 0] = in.pixels[3 * 3 + 1] = 255;
    check(&in, &as_it_is, expected);
    png_picture_release(&in);
}

static void test_transparent_pixels_are_free_also_where_walls_are_dark(void)
{
    struct png_picture in;
    static const char *const bright[] = {".##.", "....", "....", "....", NULL};
    static const char *const dark[] = {"...#", "....", "....", "....", NULL};

    png_picture_init(&in, 4, 4, 4);
    memset(in.pixels, 255, 12); /* three white pixels */
    in.pixels[3] = 0;           /* the first is transparent */
    in.pixels[3 * 4 + 3] = 255; /* an opaque black one; all others are transparent */
    check(&in, &as_it_is, bright);
    check(&in, &(struct floor_plan_preparation){.has_dark_walls = true}, dark);
    png_picture_release(&in);
}

/* A picture of blocks, made smaller by the blocks' size, and larger again. */
static void test_the_shorter_side_gets_the_length_that_is_asked_for(void)
{
    struct png_picture in;
    static const char *const expected[] = {"........", "..####..", "..####..", "........", NULL};

    png_picture_init(&in, 32, 16, 1);
    for (int64_t i = 0; i < 32 * 16; i++) {
        const int64_t x = i % 32, y = i / 32;

        in.pixels[i] = x >= 8 && x < 24 && y >= 4 && y < 12 ? 255 : 0;
    }
    check(&in, &(struct floor_plan_preparation){.short_side = 4}, expected);
    struct floor_plan p;
    if (EXPECT_OK(floor_plan_prepare(&p, &in, &(struct floor_plan_preparation){.short_side = 160},
                                     "in"))) {
        EXPECT_INT(p.width, 320);
        EXPECT_INT(p.height, 160);
        EXPECT_INT(floor_plan_count_walls(&p), 160 * 80 - 4 * 10); /* u v < 1/2 at corners */
    }
    floor_plan_release(&p);
    png_picture_release(&in);
}

static void test_the_longer_side_is_rounded(void)
{
    static const int64_t sizes[][4] = {
        {100, 30, 10, 33},
        {110, 30, 10, 37},
        {105, 30, 10, 35},
    };

    for (int k = 0; k < 3; k++) {
        struct png_picture in;
        struct floor_plan p;

        png_picture_init(&in, sizes[k][1], sizes[k][0], 1); /* upright */
        memset(in.pixels, 255, (size_t)(sizes[k][1] * 40));
        EXPECT_OK(floor_plan_prepare(
            &p, &in, &(struct floor_plan_preparation){.short_side = sizes[k][2]}, "in"));
        EXPECT_INT(p.width, sizes[k][2]);
        EXPECT_INT(p.height, sizes[k][3]);
        floor_plan_release(&p);
        png_picture_release(&in);
    }
}

static void test_specks_are_removed_and_diagonal_walls_stay(void)
{
    static const char *const drawing[] = {
        "#.......", //
        ".#....#.", //
        "..#...#.", //
        "...#....", //
        "....####", //
        "....####", //
        "....#.##", //
        "....####", //
        NULL,
    };
    static const char *const expected[] = {
        "#.......", //
        ".#......", //
        "..#.....", //
        "...#....", //
        "....####", //
        "....####", //
        "....####", //
        "....####", //
        NULL,
    };
    struct floor_plan drawn = floor_plan_drawn(drawing);
    const struct png_picture in = {.width = 8, .height = 8, .channels = 1, .pixels = drawn.pixels};

    check(&in, &(struct floor_plan_preparation){.speck = 3}, expected);
    check(&in, &(struct floor_plan_preparation){.speck = 1}, drawing);
    floor_plan_release(&drawn);
}

static void expect_rejected(const struct png_picture *in, const struct floor_plan_preparation *how,
                            const char *part)
{
    struct floor_plan p;

    EXPECT_FAILS(floor_plan_prepare(&p, in, how, "in.png"), STATUS_BAD_INPUT, part);
    EXPECT_HAS(status_message(), "in.png: ");
    EXPECT(p.pixels == NULL);
}

static void test_pictures_of_nothing_and_of_odd_sizes_are_rejected(void)
{
    struct png_picture in;

    png_picture_init(&in, 40, 5000, 1);
    expect_rejected(&in, &as_it_is, "the plan has no walls");
    expect_rejected(&in, &(struct floor_plan_preparation){.has_dark_walls = true},
                    "the plan has no free pixels");
    expect_rejected(&in, &(struct floor_plan_preparation){.short_side = 512},
                    "the plan would have 512 x 64000 pixels");
    in.pixels[30] = 255;
    expect_rejected(&in, &(struct floor_plan_preparation){.speck = 2}, "the plan has no walls");
    png_picture_release(&in);
    png_picture_init(&in, 3, 3, 1);
    expect_rejected(&in, &as_it_is, "the plan would have 3 x 3 pixels");
    png_picture_release(&in);
}

TEST_MAIN(TEST(test_pixels_are_wall_from_one_half), TEST(test_green_is_brighter_than_blue),
          TEST(test_transparent_pixels_are_free_also_where_walls_are_dark),
          TEST(test_the_shorter_side_gets_the_length_that_is_asked_for),
          TEST(test_the_longer_side_is_rounded),
          TEST(test_specks_are_removed_and_diagonal_walls_stay),
          TEST(test_pictures_of_nothing_and_of_odd_sizes_are_rejected))
