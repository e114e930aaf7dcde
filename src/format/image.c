/*
 * image.c - see image.h.
 */
#include "format/image.h"

#include <string.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/jpeg.h"
#include "format/png.h"

enum { CHANNELS = 3, MAGIC_BYTES = 3 };
static const size_t file_limit = (size_t)1 << 31;

void image_set_size(struct image *im, int64_t width, int64_t height)
{
    CHECK(width > 0 && width <= IMAGE_SIDE_MAX && height > 0 && height <= IMAGE_SIDE_MAX);
    CHECK(width * height <= IMAGE_PIXELS_MAX);

    const int64_t bytes = width * height * CHANNELS;

    if (bytes > im->capacity) {
        mem_free(im->pixels);
        im->pixels = MEM_NEW_N(uint8_t, bytes);
        im->capacity = bytes;
    }
    im->width = width;
    im->height = height;
}

void image_release(struct image *im)
{
    mem_free(im->pixels);
    *im = (struct image){0};
}

enum status image_check_size(const char *name, int64_t width, int64_t height)
{
    if (width > IMAGE_SIDE_MAX || height > IMAGE_SIDE_MAX || width * height > IMAGE_PIXELS_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the picture is too large: %lld x %lld pixels; the limits are %d for each "
                    "side and %d in all",
                    name, (long long)width, (long long)height, IMAGE_SIDE_MAX, IMAGE_PIXELS_MAX);
    return STATUS_OK;
}

static enum status fail_unknown(const char *name, const uint8_t *file, size_t bytes)
{
    if (bytes < MAGIC_BYTES)
        return FAIL(STATUS_BAD_INPUT, "%s: the file is empty or too short to be a picture", name);
    return FAIL(STATUS_BAD_INPUT,
                "%s: not a JPEG or PNG file: its first bytes are %02x %02x %02x; convert it to one "
                "of these formats",
                name, file[0], file[1], file[2]);
}

enum status image_decode(struct image *im, const char *name, const void *file, size_t bytes)
{
    static const uint8_t jpeg[MAGIC_BYTES] = {0xff, 0xd8, 0xff},
                         png[MAGIC_BYTES] = {0x89, 'P', 'N'};

    im->width = im->height = 0;
    im->warning[0] = '\0';
    if (bytes >= MAGIC_BYTES && memcmp(file, jpeg, MAGIC_BYTES) == 0)
        return jpeg_decode(im, name, file, bytes);
    if (bytes >= MAGIC_BYTES && memcmp(file, png, MAGIC_BYTES) == 0)
        return png_decode_rgb(im, name, file, bytes);
    return fail_unknown(name, file, bytes);
}

enum status image_load(struct image *im, const char *path)
{
    struct text file = {0};

    im->width = im->height = 0;
    TRY(file_read(path, file_limit, &file));
    const enum status s = image_decode(im, path, file.data, file.length);
    text_release(&file);
    return s;
}
