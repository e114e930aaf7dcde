/*
 * fuzz_jpeg.c - libFuzzer target: any bytes as a JPEG file.
 *
 * Every pixel is written: the result does not depend on what was in the memory before. What is read
 * can be written and read again. Files that say that they are large are left out, because they take
 * time and memory and nothing else.
 */
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "format/jpeg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIDE_MAX = 64 };

static void write_and_read_again(const struct image *im)
{
    const struct jpeg_options options = {.quality = 90, .subsampling = JPEG_420};
    struct image again = {0};
    struct text file = {0};

    jpeg_encode(im, &options, &file);
    CHECK(jpeg_decode(&again, "again", file.data, file.length) == STATUS_OK);
    CHECK(again.width == im->width && again.height == im->height && again.warning[0] == '\0');
    image_release(&again);
    text_release(&file);
}

static void decode_into_other_memory(const struct image *im, const uint8_t *data, size_t size)
{
    const size_t bytes = (size_t)(3 * im->width * im->height);
    struct image again = {0};

    image_set_size(&again, im->width, im->height);
    memset(again.pixels, 0xa5, bytes);
    CHECK(jpeg_decode(&again, "fuzz", data, size) == STATUS_OK);
    CHECK(memcmp(again.pixels, im->pixels, bytes) == 0);
    CHECK(strcmp(again.warning, im->warning) == 0);
    image_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jpeg_header header;
    struct image im = {0};

    if (jpeg_read_header(&header, "fuzz", data, size) != STATUS_OK || header.width > SIDE_MAX ||
        header.height > SIDE_MAX)
        return 0;
    if (jpeg_decode(&im, "fuzz", data, size) == STATUS_OK) {
        CHECK(im.width == header.width && im.height == header.height);
        decode_into_other_memory(&im, data, size);
        write_and_read_again(&im);
    }
    image_release(&im);
    return 0;
}
