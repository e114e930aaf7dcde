/*
 * test_floor_plan.c - floor plans from and to files, and what is counted in them.
 */
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "data/floor_plan.h"
#include "floor_plan_case.h"
#include "format/png.h"
#include "scratch.h"

static char *save_picture(const char *folder, int64_t width, int64_t height, int channels)
{
    char *path = file_join(folder, "picture.png");
    struct png_picture p;

    png_picture_init(&p, width, height, channels);
    EXPECT_OK(png_picture_save(&p, path));
    png_picture_release(&p);
    return path;
}

static void expect_rejected(const char *path, enum status status, const char *part)
{
    struct floor_plan p;

    EXPECT_FAILS(floor_plan_load(&p, path), status, part);
    EXPECT_HAS(status_message(), path);
    EXPECT(strchr(status_message(), '\n') == NULL);
    EXPECT(p.pixels == NULL && p.width == 0);
    floor_plan_release(&p);
}

/* --- files --- */

static void test_a_plan_is_read_as_it_was_written(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "plan.png");
    struct floor_plan written, read;

    floor_plan_init(&written, 37, 23);
    for (int64_t i = 0; i < 37 * 23; i++)
        written.pixels[i] = (uint8_t)(i * 11); /* values between 0 and 255 stay */
    EXPECT_OK(floor_plan_save(&written, path));
    if (EXPECT_OK(floor_plan_load(&read, path))) {
        EXPECT_INT(read.width, 37);
        EXPECT_INT(read.height, 23);
        EXPECT_INT(memcmp(read.pixels, written.pixels, 37 * 23), 0);
    }
    floor_plan_release(&read);
    floor_plan_release(&read); /* twice is fine */
    floor_plan_release(&written);
    mem_free(path);
    scratch_remove(folder);
}

static void test_pictures_that_are_no_plans_are_rejected(void)
{
    char *folder = scratch_new(), *rgb = save_picture(folder, 8, 8, 3);

    expect_rejected(rgb, STATUS_BAD_INPUT, "the picture has colours or transparency");
    mem_free(save_picture(folder, 8, 8, 4));
    expect_rejected(rgb, STATUS_BAD_INPUT, "the picture has colours or transparency");
    mem_free(save_picture(folder, 3, 200, 1));
    expect_rejected(rgb, STATUS_BAD_INPUT, "3 x 200 pixels; each side of a floor plan has 4 to");
    mem_free(save_picture(folder, 32769, 4, 1));
    expect_rejected(rgb, STATUS_BAD_INPUT, "32769 x 4 pixels; each side of a floor plan has 4 to");
    EXPECT_OK(file_write_text(rgb, "no picture"));
    expect_rejected(rgb, STATUS_BAD_INPUT, "not a PNG file");
    EXPECT_OK(file_write_text(rgb, ""));
    expect_rejected(rgb, STATUS_BAD_INPUT, "not a PNG file");
    EXPECT_OK(file_remove(rgb));
    expect_rejected(rgb, STATUS_IO, "No such file");
    mem_free(rgb);
    scratch_remove(folder);
}

/* The files of png_files.py: palettes and 16 bits are rejected, fewer bits are read. */
static void test_kinds_of_pictures_are_told_apart(void)
{
    char *folder = scratch_new();
    char *line =
        text_format("python3 '%s/unit/png_files.py' write '%s' ''", TEST_SOURCE_DIR, folder);
    static const char *const good[] = {"grey", "grey_1_bit", "grey_4_bits", "interlaced_grey"};
    static const char *const bad[][2] = {
        {"grey_16_bits", "16 bits for each pixel"},
        {"palette",      "has colours"           },
        {"grey_alpha",   "transparency"          },
    };

    EXPECT_INT(system(line), 0);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char *path = text_format("%s/%s.png", folder, good[i]);
        struct floor_plan p;

        EXPECT_OK(floor_plan_load(&p, path));
        floor_plan_release(&p);
        mem_free(path);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *path = text_format("%s/%s.png", folder, bad[i][0]);

        expect_rejected(path, STATUS_BAD_INPUT, bad[i][1]);
        mem_free(path);
    }
    mem_free(line);
    scratch_remove(folder);
}

/* Every prefix of a file, and a file with a wrong checksum. */
static void test_damaged_files_are_rejected(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "plan.png");
    struct text whole = {0};
    struct floor_plan p;

    floor_plan_init(&p, 9, 9);
    EXPECT_OK(floor_plan_save(&p, path));
    floor_plan_release(&p);
    EXPECT_OK(file_read(path, 1 << 20, &whole));
    for (size_t length = 0; length < whole.length; length++) {
        struct file_writer out;

        EXPECT_OK(file_writer_open(&out, path));
        EXPECT_OK(file_writer_close(&out, file_writer_put(&out, whole.data, length)));
        expect_rejected(path, STATUS_BAD_INPUT, "PNG");
    }
    whole.data[whole.length - 16] ^= 1; /* the checksum of the pixels, before the last chunk */
    struct file_writer out;
    EXPECT_OK(file_writer_open(&out, path));
    EXPECT_OK(file_writer_close(&out, file_writer_put(&out, whole.data, whole.length)));
    expect_rejected(path, STATUS_BAD_INPUT, "CRC");
    text_release(&whole);
    mem_free(path);
    scratch_remove(folder);
}

/* --- walls and areas --- */

static void test_a_pixel_is_wall_from_one_half(void)
{
    struct floor_plan p;

    floor_plan_init(&p, 4, 4);
    p.pixels[1] = 127;
    p.pixels[2] = 128;
    EXPECT(!floor_plan_is_wall(&p, 0, 0) && !floor_plan_is_wall(&p, 1, 0));
    EXPECT(floor_plan_is_wall(&p, 2, 0));
    EXPECT(floor_plan_is_wall(&p, -1, 0) && floor_plan_is_wall(&p, 0, 4));
    EXPECT_INT(floor_plan_count_walls(&p), 1);
    floor_plan_release(&p);
}

static void test_areas_are_connected_over_sides(void)
{
    static const char *const drawing[] = {
        "..#..", //
        "..#..", //
        "##.##", //
        ".....", //
        NULL,
    };
    static const int32_t expected[] = {
        1, 1, 0, 2, 2, //
        1, 1, 0, 2, 2, //
        0, 0, 3, 0, 0, //
        3, 3, 3, 3, 3, //
    };
    struct floor_plan p = floor_plan_drawn(drawing);
    int32_t labels[20];

    EXPECT_INT(floor_plan_label_areas(&p, labels), 3);
    EXPECT_INT(memcmp(labels, expected, sizeof expected), 0);
    EXPECT_INT(floor_plan_count_areas(&p), 3);
    memset(p.pixels, FLOOR_PLAN_WALL, 20);
    EXPECT_INT(floor_plan_count_areas(&p), 0);
    floor_plan_release(&p);
}

TEST_MAIN(TEST(test_a_plan_is_read_as_it_was_written),
          TEST(test_pictures_that_are_no_plans_are_rejected),
          TEST(test_kinds_of_pictures_are_told_apart), TEST(test_damaged_files_are_rejected),
          TEST(test_a_pixel_is_wall_from_one_half), TEST(test_areas_are_connected_over_sides))
