/*
 * test_png.c - pictures from and to PNG files. png_files.py, which knows the format from its
 * specification and uses nothing of libpng, writes what is read here and reads what is written.
 */
#include <glob.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "format/png.h"
#include "scratch.h"
#include "test.h"

/* --- pictures to compare --- */

static void make_picture(struct png_picture *p, int64_t width, int64_t height, int channels)
{
    png_picture_init(p, width, height, channels);
    for (int64_t i = 0; i < width * height * channels; i++)
        p->pixels[i] = (uint8_t)(i * 7 + i / 13 * i % 251);
}

static void expect_equal(const struct png_picture *a, const struct png_picture *b)
{
    EXPECT_INT(a->width, b->width);
    EXPECT_INT(a->height, b->height);
    EXPECT_INT(a->channels, b->channels);
    if (a->width == b->width && a->height == b->height && a->channels == b->channels)
        EXPECT_INT(memcmp(a->pixels, b->pixels, (size_t)(a->width * a->height * a->channels)), 0);
}

static uint32_t word_at(const struct text *file, size_t at)
{
    uint32_t value = 0;

    for (size_t i = 4; i > 0; i--)
        value = value << 8 | (uint8_t)file->data[at + i - 1];
    return value;
}

/* A .raw file of png_files.py. */
static void read_raw(struct png_picture *p, const char *path)
{
    struct text file = {0};

    *p = (struct png_picture){0};
    if (EXPECT_OK(file_read(path, 1 << 20, &file)) && EXPECT(file.length > 12)) {
        png_picture_init(p, word_at(&file, 0), word_at(&file, 4), (int)word_at(&file, 8));
        const size_t bytes = (size_t)(p->width * p->height * p->channels);
        if (EXPECT(file.length == 12 + bytes))
            memcpy(p->pixels, file.data + 12, bytes);
    }
    text_release(&file);
}

static void run_judge(const char *command, const char *a, const char *b)
{
    char *line =
        text_format("python3 '%s/unit/png_files.py' %s '%s' '%s'", TEST_SOURCE_DIR, command, a, b);

    EXPECT_INT(system(line), 0);
    mem_free(line);
}

/* --- right files --- */

static void test_a_picture_is_read_as_it_was_written(void)
{
    static const int64_t sizes[][2] = {
        {1,   1  },
        {1,   40 },
        {40,  1  },
        {7,   5  },
        {311, 200}
    };
    static const int channels[] = {1, 3, 4};
    char *folder = scratch_new(), *path = file_join(folder, "a.png");

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int k = 0; k < 3; k++) {
            struct png_picture written, read;

            make_picture(&written, sizes[i][0], sizes[i][1], channels[k]);
            EXPECT_OK(png_picture_save(&written, path));
            if (EXPECT_OK(png_picture_load(&read, path)))
                expect_equal(&read, &written);
            png_picture_release(&read);
            png_picture_release(&read); /* twice is fine */
            png_picture_release(&written);
        }
    }
    mem_free(path);
    scratch_remove(folder);
}

static void test_every_kind_of_file_is_read_as_the_specification_says(void)
{
    char *folder = scratch_new(), *pattern = file_join(folder, "*.png");
    glob_t found = {0};

    run_judge("write", folder, "");
    EXPECT_INT(glob(pattern, 0, NULL, &found), 0);
    EXPECT_INT(found.gl_pathc, 15);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        char *raw = text_format("%.*s.raw", (int)strlen(path) - 4, path);
        struct png_picture read, expected;

        printf("# %s\n", strrchr(path, '/') + 1);
        read_raw(&expected, raw);
        if (EXPECT_OK(png_picture_load(&read, path)))
            expect_equal(&read, &expected);
        png_picture_release(&read);
        png_picture_release(&expected);
        mem_free(raw);
    }
    globfree(&found);
    mem_free(pattern);
    scratch_remove(folder);
}

static void test_what_is_written_is_right_by_the_specification(void)
{
    static const int channels[] = {1, 3, 4};
    char *folder = scratch_new();
    char *path = file_join(folder, "a.png"), *raw = file_join(folder, "a.raw");

    for (int k = 0; k < 3; k++) {
        struct png_picture written, read;

        make_picture(&written, 37, 21, channels[k]);
        EXPECT_OK(png_picture_save(&written, path));
        run_judge("read", path, raw);
        read_raw(&read, raw);
        expect_equal(&read, &written);
        png_picture_release(&read);
        png_picture_release(&written);
    }
    mem_free(path);
    mem_free(raw);
    scratch_remove(folder);
}

static void test_equal_pictures_are_equal_files(void)
{
    struct png_picture p;
    struct text a = {0}, b = {0};

    make_picture(&p, 64, 48, 3);
    png_picture_encode(&p, &a);
    png_picture_encode(&p, &b);
    EXPECT_INT(a.length, b.length);
    EXPECT(a.length == b.length && memcmp(a.data, b.data, a.length) == 0);
    png_picture_release(&p);
    text_release(&a);
    text_release(&b);
}

/* --- wrong files --- */

static enum status decode(const void *file, size_t bytes)
{
    struct png_picture p;
    const enum status s = png_picture_decode(&p, "some.png", file, bytes);

    EXPECT((s == STATUS_OK) == (p.pixels != NULL));
    png_picture_release(&p);
    return s;
}

static void expect_rejected(const void *file, size_t bytes, const char *part)
{
    EXPECT_FAILS(decode(file, bytes), STATUS_BAD_INPUT, part);
    EXPECT_INT(strncmp(status_message(), "some.png: ", 10), 0);
}

/* With a file of each kind: those of the judge, read whole. */
static void with_every_file(void (*check)(const struct text *file))
{
    char *folder = scratch_new(), *pattern = file_join(folder, "*.png");
    glob_t found = {0};

    run_judge("write", folder, "");
    EXPECT_INT(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct text file = {0};

        if (EXPECT_OK(file_read(found.gl_pathv[i], 1 << 20, &file)) &&
            EXPECT_OK(decode(file.data, file.length)))
            check(&file);
        text_release(&file);
    }
    globfree(&found);
    mem_free(pattern);
    scratch_remove(folder);
}

/* A block of exactly that size: a sanitizer sees a read behind its end. */
static void cut_everywhere(const struct text *file)
{
    for (size_t bytes = 0; bytes < file->length; bytes++) {
        char *cut = mem_alloc((int64_t)bytes, 1);

        memcpy(cut, file->data, bytes);
        expect_rejected(cut, bytes, bytes < 8 ? "not a PNG file" : "the PNG file is truncated");
        mem_free(cut);
    }
}

static void test_a_truncated_file_is_rejected_wherever_it_ends(void)
{
    with_every_file(cut_everywhere);
}

static void flip_everywhere(const struct text *file)
{
    for (size_t bit = 0; bit < 8 * file->length; bit++) {
        file->data[bit / 8] = (char)(file->data[bit / 8] ^ (1 << bit % 8));
        expect_rejected(file->data, file->length, "");
        file->data[bit / 8] = (char)(file->data[bit / 8] ^ (1 << bit % 8));
    }
}

static void test_every_flipped_bit_is_noticed(void)
{
    with_every_file(flip_everywhere);
}

static void test_noise_is_rejected(void)
{
    const struct rng random = rng_make(1, RNG_TEST, 0);
    struct png_picture p;
    struct text file = {0};

    make_picture(&p, 20, 20, 3);
    for (uint64_t round = 0; round < 300; round++) {
        text_clear(&file);
        png_picture_encode(&p, &file);
        for (uint64_t i = 0; i < 20; i++) {
            const uint64_t bits = rng_bits(&random, round, (uint32_t)i);

            file.data[8 + bits % (file.length - 8)] = (char)(bits >> 56);
        }
        expect_rejected(file.data, file.length, "");
    }
    text_release(&file);
    png_picture_release(&p);
}

static void test_what_is_not_png_is_said_to_be_none(void)
{
    expect_rejected("", 0, "not a PNG file");
    expect_rejected("\xff\xd8\xff\xe0 a JPEG file", 16, "not a PNG file");
}

static void put_word(struct text *file, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        file->data[at + i] = (char)(uint8_t)(value >> (24 - 8 * i));
}

/* A chunk's length, name, data, and the checksum of name and data. */
static void correct_checksum(struct text *file, size_t at)
{
    uint32_t length = 0;

    for (size_t i = 0; i < 4; i++)
        length = length << 8 | (uint8_t)file->data[at + i];
    put_word(file, at + 8 + length,
             (uint32_t)crc32(0, (const Bytef *)file->data + at + 4, length + 4));
}

/* The checksum of a chunk holds, but not the one of the pixels, or the pixels are too many or few.
 */
static void test_pixel_data_is_judged_by_itself(void)
{
    enum { HEADER_AT = 8, PIXELS_AT = 33, END_BYTES = 12 };
    struct png_picture p;
    struct text file = {0};

    make_picture(&p, 50, 8, 1);
    png_picture_encode(&p, &file);
    file.data[file.length - END_BYTES - 5] ^= 1; /* the last byte of zlib's checksum */
    correct_checksum(&file, PIXELS_AT);
    expect_rejected(file.data, file.length, "IDAT: ");

    for (int height = 7; height <= 9; height += 2) {
        text_clear(&file);
        png_picture_encode(&p, &file);
        put_word(&file, 20, (uint32_t)height);
        correct_checksum(&file, HEADER_AT);
        expect_rejected(file.data, file.length, "offset ");
    }
    text_release(&file);
    png_picture_release(&p);
}

/* The file of one pixel, whose header says another size. */
static void expect_size_rejected(uint32_t width, uint32_t height, const char *part)
{
    struct png_picture p;
    struct text file = {0};

    make_picture(&p, 1, 1, 1);
    png_picture_encode(&p, &file);
    put_word(&file, 16, width);
    put_word(&file, 20, height);
    correct_checksum(&file, 8);
    expect_rejected(file.data, file.length, part);
    text_release(&file);
    png_picture_release(&p);
}

static void test_a_picture_too_large_is_rejected_before_memory_is_taken(void)
{
    expect_size_rejected(65537, 1, "too large: 65537 x 1 pixels");
    expect_size_rejected(1, 2147483647, "too large: 1 x 2147483647 pixels");
    expect_size_rejected(65536, 65536, "too large: 65536 x 65536 pixels");
    expect_size_rejected(16384, 16384, "cannot hold 16384 x 16384 pixels");
    expect_size_rejected(0, 1, "offset 33: ");
    expect_size_rejected(2147483648U, 1, "offset 33: ");
}

static void test_a_missing_file_and_a_missing_folder_are_named(void)
{
    struct png_picture p;

    EXPECT_FAILS(png_picture_load(&p, "/nonexistent/a.png"), STATUS_IO, "/nonexistent/a.png");
    EXPECT(p.pixels == NULL);
    make_picture(&p, 3, 3, 1);
    EXPECT_FAILS(png_picture_save(&p, "/nonexistent/a.png"), STATUS_IO, "/nonexistent/a.png");
    png_picture_release(&p);
}

TEST_MAIN(TEST(test_a_picture_is_read_as_it_was_written),
          TEST(test_every_kind_of_file_is_read_as_the_specification_says),
          TEST(test_what_is_written_is_right_by_the_specification),
          TEST(test_equal_pictures_are_equal_files),
          TEST(test_a_truncated_file_is_rejected_wherever_it_ends),
          TEST(test_every_flipped_bit_is_noticed), TEST(test_noise_is_rejected),
          TEST(test_what_is_not_png_is_said_to_be_none), TEST(test_pixel_data_is_judged_by_itself),
          TEST(test_a_picture_too_large_is_rejected_before_memory_is_taken),
          TEST(test_a_missing_file_and_a_missing_folder_are_named))
