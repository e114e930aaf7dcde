/*
 * images_pil_case.h - what the tests of vectors/images_pil.bin share: a file of the vectors as a
 * picture, and the comparison of pixels with Pillow's.
 */
#ifndef TESTS_IMAGES_PIL_CASE_H
#define TESTS_IMAGES_PIL_CASE_H

#include <zlib.h>

#include "format/image.h"
#include "golden/golden.h"

/* Bytes of RGB in any memory. */
struct pil_pixels {
    int64_t width, height;
    const uint8_t *pixels;
};

static inline int64_t pil_number(const struct golden *g, const char *name, const char *part, int i)
{
    return (int64_t)golden_get(g, name, part)->numbers[i];
}

static inline enum status pil_decode(struct image *im, const struct golden *g, const char *name)
{
    const struct golden_record *file = golden_get(g, name, "file");

    return image_decode(im, name, file->text, (size_t)file->count);
}

static inline int pil_largest_difference(const uint8_t *a, const uint8_t *b, int64_t bytes)
{
    int largest = 0;

    for (int64_t i = 0; i < bytes; i++) {
        const int off = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];

        largest = off > largest ? off : largest;
    }
    return largest;
}

/* Every bit: the arithmetic is of integers, and libjpeg-turbo's has been the same since 2.0. */
static inline void pil_expect_equal(const struct golden *g, const char *name, struct pil_pixels p)
{
    const struct golden_record *whole = golden_find(g, name, "pixels");
    const int64_t bytes = p.width * p.height * 3;

    EXPECT_INT(p.width, pil_number(g, name, "size", 0));
    EXPECT_INT(p.height, pil_number(g, name, "size", 1));
    EXPECT_INT(crc32(0, p.pixels, (uInt)bytes), pil_number(g, name, "crc", 0));
    if (whole != NULL && EXPECT(whole->count == bytes))
        EXPECT_INT(pil_largest_difference(p.pixels, (const uint8_t *)whole->text, bytes), 0);
}

#endif
