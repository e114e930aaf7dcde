/*
 * jpeg.c - see jpeg.h.
 *
 * libturbojpeg reports damaged data as a warning, keeps the text of the first warning only, and
 * fills what is missing with grey. So a file is first decoded until the first warning. Missing data
 * is an error. For any other warning the file is decoded again, past all warnings, and its end
 * marker must be present.
 */
#include "format/jpeg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <turbojpeg.h>

#include "base/check.h"
#include "base/mem.h"

enum { MARKER = 0xff, MARKER_START = 0xd8, MARKER_END = 0xd9, MARKER_SCAN = 0xda };

/* One file while it is read. */
struct decoder {
    tjhandle handle;
    const char *name;
    const uint8_t *file; /* [bytes] */
    size_t bytes;
    struct jpeg_header header;
};

/* --- what is wrong with a file --- */

/*
 * Where the compressed pixels begin, or the end of the file. Before this place EXIF may have a
 * picture with an end marker of its own. A marker is one byte of 0xff or more and its kind; the
 * length after it counts itself.
 */
static size_t find_scan(const struct decoder *d)
{
    size_t at = 2;

    while (at + 4 <= d->bytes && d->file[at] == MARKER && d->file[at + 1] != MARKER_SCAN) {
        if (d->file[at + 1] == MARKER)
            at++;
        else
            at += 2 + ((size_t)d->file[at + 2] << 8 | d->file[at + 3]);
    }
    return at < d->bytes ? at : d->bytes;
}

static bool has_end_marker(const struct decoder *d)
{
    for (size_t at = find_scan(d); at + 1 < d->bytes; at++) {
        if (d->file[at] == MARKER && d->file[at + 1] == MARKER_END)
            return true;
    }
    return false;
}

static bool is_at_end(const struct decoder *d)
{
    return strcmp(tjGetErrorStr2(d->handle), "Premature end of JPEG file") == 0 ||
           !has_end_marker(d);
}

static enum status fail(const struct decoder *d, const char *reason)
{
    return FAIL(STATUS_BAD_INPUT, "%s: %s: %s", d->name,
                is_at_end(d) ? "the JPEG file is truncated" : "cannot decode the JPEG file",
                reason);
}

/* --- reading --- */

static enum jpeg_colours colours_of(int colorspace)
{
    switch (colorspace) {
    case TJCS_GRAY:
        return JPEG_GREY;
    case TJCS_RGB:
        return JPEG_RGB;
    case TJCS_CMYK:
        return JPEG_CMYK;
    case TJCS_YCCK:
        return JPEG_YCCK;
    default:
        return JPEG_YCBCR;
    }
}

/*
 * The library fails for unusual factors of subsampling too, which it can decode nevertheless, and
 * succeeds for a file of tables without a picture.
 */
static enum status read_header(struct decoder *d)
{
    int width = 0, height = 0, subsampling = -1, colorspace = -1;

    if (d->bytes < 2 || d->file[0] != MARKER || d->file[1] != MARKER_START)
        return FAIL(STATUS_BAD_INPUT, "%s: not a JPEG file: the marker at its start is missing",
                    d->name);
    errno = 0;
    const int code = tjDecompressHeader3(d->handle, d->file, d->bytes, &width, &height,
                                         &subsampling, &colorspace);
    if (code != 0)
        mem_check_library();
    if (width <= 0 || height <= 0 || colorspace < 0)
        return fail(d, code == 0 ? "it has no picture" : tjGetErrorStr2(d->handle));
    d->header =
        (struct jpeg_header){.width = width, .height = height, .colours = colours_of(colorspace)};
    return image_check_size(d->name, width, height);
}

static int decompress(const struct decoder *d, uint8_t *pixels, int format, int flags)
{
    errno = 0;
    const int code = tjDecompress2(d->handle, d->file, d->bytes, pixels, (int)d->header.width, 0,
                                   (int)d->header.height, format, flags | TJFLAG_LIMITSCANS);
    if (code != 0)
        mem_check_library();
    return code;
}

/*
 * The library's code is the same for warnings alone and for a warning before an error. But an error
 * replaces the text of the first warning, and a second warning does not.
 */
static enum status decode_past_warnings(const struct decoder *d, struct image *im, uint8_t *pixels,
                                        int format)
{
    snprintf(im->warning, sizeof im->warning, "%s", tjGetErrorStr2(d->handle));
    if (decompress(d, pixels, format, 0) != 0 &&
        strncmp(im->warning, tjGetErrorStr2(d->handle), sizeof im->warning - 1) != 0)
        return fail(d, tjGetErrorStr2(d->handle));
    return STATUS_OK;
}

static enum status decode_pixels(const struct decoder *d, struct image *im, uint8_t *pixels,
                                 int format)
{
    if (decompress(d, pixels, format, TJFLAG_STOPONWARNING) == 0)
        return STATUS_OK;
    if (tjGetErrorCode(d->handle) != TJERR_WARNING || is_at_end(d))
        return fail(d, tjGetErrorStr2(d->handle));
    return decode_past_warnings(d, im, pixels, format);
}

/* ink * light / 255, rounded, as Pillow computes it. */
static uint8_t multiply(unsigned ink, unsigned light)
{
    const unsigned product = ink * light + 128;

    return (uint8_t)((product + (product >> 8)) >> 8);
}

/* From four inverted inks (255: none) to colours. */
static void inks_to_rgb(uint8_t *rgb, const uint8_t *inks, int64_t pixels)
{
    for (int64_t i = 0; i < pixels; i++) {
        const unsigned light = inks[4 * i + 3];

        for (int c = 0; c < 3; c++)
            rgb[3 * i + c] = (uint8_t)(light - multiply(255U - inks[4 * i + c], light));
    }
}

static enum status decode_inks(const struct decoder *d, struct image *im)
{
    const int64_t pixels = d->header.width * d->header.height;
    uint8_t *inks = MEM_NEW_N(uint8_t, 4 * pixels);
    const enum status s = decode_pixels(d, im, inks, TJPF_CMYK);

    if (s == STATUS_OK)
        inks_to_rgb(im->pixels, inks, pixels);
    mem_free(inks);
    return s;
}

static enum status decode(struct decoder *d, struct image *im)
{
    TRY(read_header(d));
    image_set_size(im, d->header.width, d->header.height);
    if (d->header.colours == JPEG_CMYK || d->header.colours == JPEG_YCCK)
        return decode_inks(d, im);
    return decode_pixels(d, im, im->pixels, TJPF_RGB);
}

static struct decoder open_decoder(const char *name, const void *file, size_t bytes)
{
    errno = 0;

    struct decoder d = {.handle = tjInitDecompress(), .name = name, .file = file, .bytes = bytes};

    mem_check_library();
    CHECK(d.handle != NULL);
    return d;
}

enum status jpeg_read_header(struct jpeg_header *h, const char *name, const void *file,
                             size_t bytes)
{
    struct decoder d = open_decoder(name, file, bytes);
    const enum status s = read_header(&d);

    *h = d.header;
    tjDestroy(d.handle);
    return s;
}

enum status jpeg_decode(struct image *im, const char *name, const void *file, size_t bytes)
{
    struct decoder d = open_decoder(name, file, bytes);

    im->warning[0] = '\0';
    const enum status s = decode(&d, im);
    if (s != STATUS_OK)
        im->width = im->height = 0;
    tjDestroy(d.handle);
    return s;
}

/* --- writing --- */

static int subsampling_of(const struct jpeg_options *o)
{
    static const int known[] = {
        [JPEG_444] = TJSAMP_444, [JPEG_422] = TJSAMP_422, [JPEG_420] = TJSAMP_420};

    return o->is_grey ? TJSAMP_GRAY : known[o->subsampling];
}

void jpeg_encode(const struct image *im, const struct jpeg_options *options, struct text *out)
{
    const tjhandle handle = tjInitCompress();
    unsigned char *file = NULL;
    unsigned long bytes = 0;

    CHECK(handle != NULL && im->width > 0 && im->height > 0);
    CHECK(im->width < IMAGE_SIDE_MAX && im->height < IMAGE_SIDE_MAX);
    CHECK(options->quality >= 1 && options->quality <= 100);
    errno = 0;
    const int code =
        tjCompress2(handle, im->pixels, (int)im->width, 0, (int)im->height, TJPF_RGB, &file, &bytes,
                    subsampling_of(options), options->quality,
                    TJFLAG_ACCURATEDCT | (options->is_progressive ? TJFLAG_PROGRESSIVE : 0));

    if (code != 0)
        mem_check_library();
    CHECK(code == 0);
    text_add_n(out, (const char *)file, bytes);
    tjFree(file);
    tjDestroy(handle);
}
