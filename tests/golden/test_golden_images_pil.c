/*
 * test_golden_images_pil.c - JPEG and PNG files are read as Pillow reads them, and damaged ones do
 * no harm. golden_images_pil.py makes the files.
 */
#include "format/jpeg.h"
#include "golden/images_pil_case.h"

enum { SMALL_BYTES = 4000 };

static void check_file(const struct golden *g, const char *name)
{
    struct image im = {0};

    if (EXPECT_OK(pil_decode(&im, g, name)))
        pil_expect_equal(g, name, (struct pil_pixels){im.width, im.height, im.pixels});
    image_release(&im);
}

static void test_files_are_read_as_pillow_does(void)
{
    struct golden g = golden_load("images_pil");

    EXPECT(golden_for_cases(&g, "files", check_file) >= 40);
    golden_release(&g);
}

static void test_memory_is_reused_from_file_to_file(void)
{
    struct golden g = golden_load("images_pil");
    struct image im = {0};

    if (EXPECT_OK(pil_decode(&im, &g, "jpeg_photo_420"))) {
        const uint8_t *pixels = im.pixels;

        EXPECT_OK(pil_decode(&im, &g, "jpeg_cmyk"));
        pil_expect_equal(&g, "jpeg_cmyk", (struct pil_pixels){im.width, im.height, im.pixels});
        EXPECT_OK(pil_decode(&im, &g, "png_palette"));
        pil_expect_equal(&g, "png_palette", (struct pil_pixels){im.width, im.height, im.pixels});
        EXPECT(im.pixels == pixels);
    }
    image_release(&im);
    golden_release(&g);
}

static void test_headers_have_size_and_colours(void)
{
    static const struct {
        const char *name;
        enum jpeg_colours colours;
    } cases[] = {
        {"jpeg_grey",            JPEG_GREY },
        {"jpeg_rgb",             JPEG_RGB  },
        {"jpeg_420",             JPEG_YCBCR},
        {"jpeg_unusual_factors", JPEG_YCBCR},
        {"jpeg_cmyk",            JPEG_CMYK },
        {"jpeg_ycck",            JPEG_YCCK },
    };
    struct golden g = golden_load("images_pil");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct golden_record *file = golden_get(&g, cases[i].name, "file");
        struct jpeg_header h;

        EXPECT_OK(jpeg_read_header(&h, cases[i].name, file->text, (size_t)file->count));
        EXPECT_INT(h.width, pil_number(&g, cases[i].name, "size", 0));
        EXPECT_INT(h.height, pil_number(&g, cases[i].name, "size", 1));
        EXPECT_INT(h.colours, cases[i].colours);
    }
    golden_release(&g);
}

static void expect_warning(const struct golden *g, const char *name, const char *part)
{
    struct image im = {0};

    EXPECT_OK(pil_decode(&im, g, name));
    EXPECT_HAS(im.warning, part);
    EXPECT_OK(pil_decode(&im, g, "jpeg_420")); /* the next picture has none */
    EXPECT_TEXT(im.warning, "");
    image_release(&im);
}

static void test_what_pillow_overlooks_is_a_warning(void)
{
    struct golden g = golden_load("images_pil");

    expect_warning(&g, "jpeg_stray_bytes", "extraneous bytes before marker 0xd9");
    expect_warning(&g, "png_grey_16_bits", "clipped at 255");
    expect_warning(&g, "png_grey_16_bits_dark", "");
    golden_release(&g);
}

/* --- damaged files --- */

/* A block of exactly that size: a sanitizer sees a read after its end. */
static enum status decode_copy(const char *file, size_t bytes)
{
    struct image im = {0};
    char *copy = mem_alloc((int64_t)bytes, 1);

    if (bytes > 0)
        memcpy(copy, file, bytes);
    const enum status s = image_decode(&im, "some.jpg", copy, bytes);
    EXPECT((s == STATUS_OK) == (im.width > 0 && im.height > 0));
    image_release(&im);
    mem_free(copy);
    return s;
}

static void cut_everywhere(const struct golden *g, const char *name)
{
    const struct golden_record *file = golden_get(g, name, "file");
    const char *part = strncmp(name, "png", 3) == 0 ? "PNG file" : "the JPEG file is truncated";

    if (file->count > SMALL_BYTES || strcmp(name, "jpeg_more_at_the_end") == 0)
        return;
    for (size_t bytes = 0; bytes < (size_t)file->count; bytes++) {
        EXPECT_FAILS(decode_copy(file->text, bytes), STATUS_BAD_INPUT, bytes < 3 ? "" : part);
        EXPECT_INT(strncmp(status_message(), "some.jpg: ", 10), 0);
    }
}

static void test_truncated_files_are_rejected_wherever_they_end(void)
{
    struct golden g = golden_load("images_pil");

    golden_for_cases(&g, "files", cut_everywhere);
    golden_release(&g);
}

/* JPEG has no checksums: most flipped bits only change the picture. */
static void flip_everywhere(const struct golden *g, const char *name)
{
    const struct golden_record *file = golden_get(g, name, "file");
    char *copy = mem_text_n(file->text, (size_t)file->count);

    for (int64_t bit = 0; bit < 8 * file->count; bit++) {
        copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
        if (decode_copy(copy, (size_t)file->count) != STATUS_OK)
            EXPECT_INT(strncmp(status_message(), "some.jpg: ", 10), 0);
        copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
    }
    mem_free(copy);
}

static void test_flipped_bits_do_no_harm(void)
{
    struct golden g = golden_load("images_pil");

    flip_everywhere(&g, "jpeg_420");
    flip_everywhere(&g, "jpeg_progressive");
    flip_everywhere(&g, "jpeg_cmyk");
    flip_everywhere(&g, "jpeg_restarts");
    flip_everywhere(&g, "png_palette_alpha");
    flip_everywhere(&g, "png_grey_16_bits");
    golden_release(&g);
}

TEST_MAIN(TEST(test_files_are_read_as_pillow_does), TEST(test_memory_is_reused_from_file_to_file),
          TEST(test_headers_have_size_and_colours), TEST(test_what_pillow_overlooks_is_a_warning),
          TEST(test_truncated_files_are_rejected_wherever_they_end),
          TEST(test_flipped_bits_do_no_harm))
