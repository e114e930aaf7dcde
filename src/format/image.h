/*
 * image.h - pictures as RGB bytes, from JPEG and PNG files.
 *
 * The bytes are those of Pillow's Image.open(file).convert("RGB"): grey is copied to the three
 * channels, alpha and transparency are dropped, the orientation of EXIF and colour profiles are
 * ignored. The kind of a file is known by its first bytes, not by its name.
 *
 * Not here: PNG with grey or alpha channels (png.h), writing (jpeg.h, png.h), resizing
 * (data/resize.h).
 */
#ifndef FORMAT_IMAGE_H
#define FORMAT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Larger pictures are rejected before any memory is allocated for them. */
enum { IMAGE_SIDE_MAX = 1 << 16, IMAGE_PIXELS_MAX = 1 << 28, IMAGE_WARNING_SIZE = 200 };

/* A zeroed struct is an empty picture. */
struct image {
    int64_t width, height;
    uint8_t *pixels;  /* [height][width][3], from the top left; owned */
    int64_t capacity; /* bytes of pixels */
    /* What is wrong with a file that was decoded as Pillow does without a word; "": nothing. */
    char warning[IMAGE_WARNING_SIZE];
};

/* Reuses the memory of im where it suffices. The pixels are undefined. */
void image_set_size(struct image *im, int64_t width, int64_t height);
void image_release(struct image *im);

/*
 * Fills im, whose memory is reused, or fails with a message that begins with the name of the file;
 * then im has no pixels. Thread-safe.
 */
enum status image_load(struct image *im, const char *path);
enum status image_decode(struct image *im, const char *name, const void *file, size_t bytes);

/* For the readers of the formats: fails for a picture above the limits. */
enum status image_check_size(const char *name, int64_t width, int64_t height);

#endif
