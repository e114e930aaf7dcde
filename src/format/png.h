/*
 * png.h - pictures of 8 bits per channel, from and to PNG files.
 *
 * Reading converts every kind of PNG to grey, RGB or RGBA: palettes become colours, fewer bits are
 * scaled up, 16 bits are rounded to 8, transparency becomes an alpha channel (grey with alpha is
 * read as RGBA). Values are not corrected for gamma or colour profiles. A file with any wrong
 * checksum is rejected. Equal pictures are equal files (with the same zlib).
 *
 * png_decode_rgb reads as Pillow's convert("RGB") does instead: alpha is dropped, of 16 bits the
 * upper 8 remain, and grey of 16 bits is clipped at 255, with a warning in the picture.
 */
#ifndef FORMAT_PNG_H
#define FORMAT_PNG_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "format/image.h"

struct png_picture {
    int64_t width, height;
    int channels;    /* 1: grey, 3: RGB, 4: RGBA */
    int file_bits;   /* of each channel in the file that was read: 1, 2, 4, 8 or 16; 0: not read */
    uint8_t *pixels; /* [height][width][channels], from the top left; owned */
};

/* A picture whose pixels are all 0. */
void png_picture_init(struct png_picture *p, int64_t width, int64_t height, int channels);
void png_picture_release(struct png_picture *p);

/* Fills p, or fails with a message that begins with the name of the file; then p is empty. */
enum status png_picture_load(struct png_picture *p, const char *path);
enum status png_picture_decode(struct png_picture *p, const char *name, const void *file,
                               size_t bytes);

/* See image.h, whose image_decode calls it. */
enum status png_decode_rgb(struct image *im, const char *name, const void *file, size_t bytes);

/* Write, fsync, rename; or the file's bytes appended to `out`. */
enum status png_picture_save(const struct png_picture *p, const char *path);
void png_picture_encode(const struct png_picture *p, struct text *out);

#endif
