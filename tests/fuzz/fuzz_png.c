/*
 * fuzz_png.c - libFuzzer target: any bytes as a PNG file.
 *
 * What is read must be the same after it was written and read again. Read as RGB, it must have the
 * same colours, except those of 16 bits, which are rounded otherwise. The checksums of all chunks
 * are corrected first if the first byte is odd: few changed files would get past them. Files that
 * say that they are large are left out, because they take time and memory and nothing else.
 */
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "base/check.h"
#include "base/mem.h"
#include "format/png.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIGNATURE = 8, CHUNK = 12, SIZE_AT = 16, SIDE_MAX = 512 };

static uint32_t word_at(const uint8_t *data)
{
    return (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
}

/* length, name, data, checksum of name and data */
static void correct_checksums(uint8_t *file, size_t size)
{
    size_t at = SIGNATURE;

    while (at + CHUNK <= size && word_at(file + at) <= size - at - CHUNK) {
        const uint32_t length = word_at(file + at);
        const uint32_t crc = (uint32_t)crc32(0, file + at + 4, length + 4);

        for (int i = 0; i < 4; i++)
            file[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += CHUNK + length;
    }
}

static bool is_large(const uint8_t *file, size_t size)
{
    return size >= SIZE_AT + 8 &&
           (word_at(file + SIZE_AT) > SIDE_MAX || word_at(file + SIZE_AT + 4) > SIDE_MAX);
}

static void write_and_read_again(const struct png_picture *p)
{
    struct png_picture again;
    struct text file = {0};

    png_picture_encode(p, &file);
    CHECK(png_picture_decode(&again, "again", file.data, file.length) == STATUS_OK);
    CHECK(again.width == p->width && again.height == p->height && again.channels == p->channels);
    CHECK(memcmp(again.pixels, p->pixels, (size_t)(p->width * p->height * p->channels)) == 0);
    png_picture_release(&again);
    text_release(&file);
}

static void compare_colours(const struct png_picture *p, const struct image *im)
{
    CHECK(im->width == p->width && im->height == p->height);
    for (int64_t i = 0; i < p->width * p->height && p->file_bits <= 8; i++) {
        for (int c = 0; c < 3; c++) {
            const uint8_t *pixel = p->pixels + i * p->channels;

            CHECK(im->pixels[3 * i + c] == pixel[p->channels == 1 ? 0 : c]);
        }
    }
}

static void read_both_ways(const uint8_t *file, size_t size)
{
    struct png_picture p;
    struct image im = {0};
    const enum status s = png_picture_decode(&p, "fuzz", file, size);

    CHECK(png_decode_rgb(&im, "fuzz", file, size) == s);
    if (s == STATUS_OK) {
        compare_colours(&p, &im);
        write_and_read_again(&p);
    }
    image_release(&im);
    png_picture_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{

    if (size == 0)
        return 0;
    uint8_t *file = MEM_NEW_N(uint8_t, (int64_t)size - 1);
    memcpy(file, data + 1, size - 1);
    if (data[0] % 2 != 0)
        correct_checksums(file, size - 1);
    if (!is_large(file, size - 1))
        read_both_ways(file, size - 1);
    mem_free(file);
    return 0;
}
