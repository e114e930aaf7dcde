/*
 * jpeg.h - pictures from and to JPEG files in memory.
 *
 * Decoding is Pillow's: accurate DCT, smooth upsampling of colours, grey copied to three channels,
 * CMYK and YCCK taken as inverted (as Adobe writes them) and converted to RGB without a profile.
 * Truncated files are rejected. Other damage to the compressed data, such as stray bytes or a scan
 * that ends early, is a warning in the picture: libjpeg continues, and Pillow does not report it.
 */
#ifndef FORMAT_JPEG_H
#define FORMAT_JPEG_H

#include <stdbool.h>

#include "base/text.h"
#include "format/image.h"

enum jpeg_colours { JPEG_GREY, JPEG_RGB, JPEG_YCBCR, JPEG_CMYK, JPEG_YCCK };

struct jpeg_header {
    int64_t width, height;
    enum jpeg_colours colours; /* as stored */
};

/* Both fail with a message that begins with the name of the file. */
enum status jpeg_read_header(struct jpeg_header *h, const char *name, const void *file,
                             size_t bytes);
enum status jpeg_decode(struct image *im, const char *name, const void *file, size_t bytes);

enum jpeg_subsampling { JPEG_444, JPEG_422, JPEG_420 };

struct jpeg_options {
    int quality; /* 1 to 100 */
    enum jpeg_subsampling subsampling;
    bool is_grey, is_progressive;
};

/* Appends the file to `out`. Both sides of the picture must be below 65536. */
void jpeg_encode(const struct image *im, const struct jpeg_options *options, struct text *out);

#endif
