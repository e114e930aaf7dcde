/*
 * test_image.c - pictures by the first bytes of their files, JPEG files that are written here, and
 * files that are none. test_golden_images_pil.c compares what is read with Pillow.
 */
#include "base/file.h"
#include "base/mem.h"
#include "format/image.h"
#include "format/jpeg.h"
#include "format/png.h"
#include "scratch.h"
#include "test.h"

/* Smooth, so that JPEG changes little. */
static void make_image(struct image *im, int64_t width, int64_t height)
{
    *im = (struct image){0};
    image_set_size(im, width, height);
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            uint8_t *p = im->pixels + 3 * (y * width + x);

            p[0] = (uint8_t)(40 + 150 * x / width);
            p[1] = (uint8_t)(60 + 120 * y / height);
            p[2] = (uint8_t)(200 - 90 * (x + y) / (width + height));
        }
    }
}

static void encode(const struct image *im, struct jpeg_options options, struct text *file)
{
    text_clear(file);
    jpeg_encode(im, &options, file);
}

static double mean_difference(const struct image *a, const struct image *b)
{
    double sum = 0;

    for (int64_t i = 0; i < 3 * a->width * a->height; i++)
        sum += fabs((double)a->pixels[i] - (double)b->pixels[i]);
    return sum / (double)(3 * a->width * a->height);
}

static void test_what_is_written_as_jpeg_is_read_again(void)
{
    static const struct jpeg_options options[] = {
        {95, JPEG_444, false, false},
        {95, JPEG_422, false, false},
        {95, JPEG_420, false, false},
        {95, JPEG_420, false, true },
    };
    struct text file = {0};
    struct image written, read = {0};

    make_image(&written, 67, 45);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        encode(&written, options[i], &file);
        if (EXPECT_OK(jpeg_decode(&read, "a.jpg", file.data, file.length))) {
            EXPECT_INT(read.width, 67);
            EXPECT_INT(read.height, 45);
            EXPECT(mean_difference(&read, &written) < 1); /* steps of quality 95 are 1 to 10 */
        }
    }
    image_release(&written);
    image_release(&read);
    text_release(&file);
}

static void test_a_lower_quality_is_a_smaller_file(void)
{
    struct text good = {0}, bad = {0};
    struct image im;

    make_image(&im, 200, 160);
    encode(&im, (struct jpeg_options){.quality = 95}, &good);
    encode(&im, (struct jpeg_options){.quality = 30}, &bad);
    EXPECT(bad.length < good.length);
    image_release(&im);
    text_release(&good);
    text_release(&bad);
}

static void test_grey_files_have_equal_channels(void)
{
    struct jpeg_header h;
    struct text file = {0};
    struct image im;

    make_image(&im, 33, 20);
    encode(&im, (struct jpeg_options){.quality = 90, .is_grey = true}, &file);
    EXPECT_OK(jpeg_read_header(&h, "grey.jpg", file.data, file.length));
    EXPECT_INT(h.colours, JPEG_GREY);
    EXPECT_OK(jpeg_decode(&im, "grey.jpg", file.data, file.length));
    for (int64_t i = 0; i < im.width * im.height; i++) {
        EXPECT_INT(im.pixels[3 * i], im.pixels[3 * i + 1]);
        EXPECT_INT(im.pixels[3 * i], im.pixels[3 * i + 2]);
    }
    image_release(&im);
    text_release(&file);
}

static void write_file(const char *path, const void *data, size_t bytes)
{
    struct file_writer out;

    EXPECT_OK(file_writer_open(&out, path));
    EXPECT_OK(file_writer_close(&out, file_writer_put(&out, data, bytes)));
}

static void test_the_first_bytes_count_and_not_the_name(void)
{
    char *folder = scratch_new(), *path = file_join(folder, "a.JPEG");
    struct png_picture p;
    struct image im = {0};
    struct text file = {0};

    png_picture_init(&p, 5, 4, 3);
    p.pixels[7] = 99;
    EXPECT_OK(png_picture_save(&p, path));
    EXPECT_OK(image_load(&im, path));
    EXPECT_INT(im.width, 5);
    EXPECT_INT(im.pixels[7], 99);

    mem_free(path);
    path = file_join(folder, "b.png");
    encode(&im, (struct jpeg_options){.quality = 90}, &file);
    write_file(path, file.data, file.length);
    EXPECT_OK(image_load(&im, path));
    EXPECT_INT(im.height, 4);
    png_picture_release(&p);
    image_release(&im);
    text_release(&file);
    mem_free(path);
    scratch_remove(folder);
}

/* --- wrong files --- */

static void expect_rejected(const void *file, size_t bytes, const char *part)
{
    struct image im = {0};

    EXPECT_FAILS(image_decode(&im, "x", file, bytes), STATUS_BAD_INPUT, part);
    EXPECT_INT(im.width, 0);
    image_release(&im);
}

static void test_other_files_are_named_by_their_first_bytes(void)
{
    struct image im = {0};

    expect_rejected("", 0, "x: the file is empty or too short");
    expect_rejected("\xff\xd8", 2, "x: the file is empty or too short");
    expect_rejected("GIF89a", 6, "x: not a JPEG or PNG file: its first bytes are 47 49 46");
    expect_rejected("\xff\xd8\xff", 3, "x: the JPEG file is truncated");
    EXPECT_FAILS(jpeg_decode(&im, "x", "GIF89a", 6), STATUS_BAD_INPUT, "x: not a JPEG file");
    EXPECT_FAILS(image_load(&im, "/nonexistent/a.jpg"), STATUS_IO, "/nonexistent/a.jpg");
    image_release(&im);
}

/* Where the segment of a frame's size is: marker, length, bits, height, width. */
static size_t find_frame(const struct text *file)
{
    size_t at = 2;

    while (at + 4 < file->length && (uint8_t)file->data[at + 1] != 0xc0)
        at += 2 + ((size_t)(uint8_t)file->data[at + 2] << 8 | (uint8_t)file->data[at + 3]);
    return at;
}

static void test_sizes_above_the_limits_are_rejected(void)
{
    struct text file = {0};
    struct image im;

    make_image(&im, 16, 16);
    encode(&im, (struct jpeg_options){.quality = 90}, &file);
    const size_t at = find_frame(&file) + 5;
    memcpy(file.data + at, "\xfd\xe8\xfd\xe8", 4);
    expect_rejected(file.data, file.length, "x: the picture is too large: 65000 x 65000 pixels");
    memcpy(file.data + at, "\x00\x10\x00\x00", 4);
    expect_rejected(file.data, file.length, "x: cannot decode the JPEG file");
    image_release(&im);
    text_release(&file);
}

/* The end marker is there, but pixels are missing: Pillow reads such files. */
static void test_pixels_that_are_missing_are_a_warning(void)
{
    struct text file = {0};
    struct image im;

    make_image(&im, 16, 16);
    encode(&im, (struct jpeg_options){.quality = 90}, &file);
    memcpy(file.data + find_frame(&file) + 5, "\x00\x50\x00\x30", 4);
    EXPECT_OK(image_decode(&im, "x", file.data, file.length));
    EXPECT_INT(im.width, 48);
    EXPECT_INT(im.height, 80);
    EXPECT_HAS(im.warning, "premature end of data segment");
    image_release(&im);
    text_release(&file);
}

/* Bytes between segments are a warning; a table that is missing is an error. */
static void test_an_error_after_a_warning_is_an_error(void)
{
    enum { TABLE_AT = 20, STRAY = 7 };
    struct text file = {0}, damaged = {0};
    struct image im;

    make_image(&im, 16, 16);
    encode(&im, (struct jpeg_options){.quality = 90}, &file);
    EXPECT_INT((uint8_t)file.data[TABLE_AT + 1], 0xdb);
    text_add_n(&damaged, file.data, TABLE_AT);
    text_add_n(&damaged, "a stray", STRAY);
    text_add_n(&damaged, file.data + TABLE_AT, file.length - TABLE_AT);
    EXPECT_OK(image_decode(&im, "x", damaged.data, damaged.length));
    EXPECT_HAS(im.warning, "7 extraneous bytes before marker 0xdb");

    damaged.data[TABLE_AT + STRAY + 4] = 3; /* the number of the table */
    expect_rejected(damaged.data, damaged.length, "Quantization table 0x00 was not defined");
    image_release(&im);
    text_release(&file);
    text_release(&damaged);
}

TEST_MAIN(TEST(test_what_is_written_as_jpeg_is_read_again),
          TEST(test_a_lower_quality_is_a_smaller_file), TEST(test_grey_files_have_equal_channels),
          TEST(test_the_first_bytes_count_and_not_the_name),
          TEST(test_other_files_are_named_by_their_first_bytes),
          TEST(test_sizes_above_the_limits_are_rejected),
          TEST(test_pixels_that_are_missing_are_a_warning),
          TEST(test_an_error_after_a_warning_is_an_error))
