/*
 * png.c - see png.h.
 *
 * libpng reports an error by calling a function that must not return. Ours records the message and
 * jumps back to the only setjmp (decode_guarded). Everything that must be freed is in structs that
 * belong to callers of that function, so that a jump leaks nothing. When a picture is written the
 * bytes go to memory, and an error can only be a mistake of the programmer: it ends the program.
 * libpng's memory comes from base/mem.h.
 */
#include "format/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/file.h"
#include "base/mem.h"

enum { SIGNATURE_BYTES = 8, DEFLATE_RATIO_MAX = 1032 };
static const size_t file_limit = (size_t)1 << 31;

/* --- pictures --- */

static bool is_valid(const struct png_picture *p)
{
    return p->width > 0 && p->width <= IMAGE_SIDE_MAX && p->height > 0 &&
           p->height <= IMAGE_SIDE_MAX && p->width * p->height <= IMAGE_PIXELS_MAX &&
           (p->channels == 1 || p->channels == 3 || p->channels == 4);
}

void png_picture_init(struct png_picture *p, int64_t width, int64_t height, int channels)
{
    *p = (struct png_picture){.width = width, .height = height, .channels = channels};
    CHECK(is_valid(p));
    p->pixels = MEM_NEW_N(uint8_t, width * height * channels);
}

void png_picture_release(struct png_picture *p)
{
    mem_free(p->pixels);
    *p = (struct png_picture){0};
}

/* --- what reading and writing share --- */

static png_voidp allocate(png_structp png, png_alloc_size_t bytes)
{
    (void)png;
    return mem_alloc((int64_t)bytes, 1);
}

static void deallocate(png_structp png, png_voidp block)
{
    (void)png;
    mem_free(block);
}

/* What is worth a warning to libpng either does not concern the pixels or is made an error. */
static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* --- reading --- */

/* One file while it is read. */
struct reader {
    const char *name;
    const uint8_t *file; /* [bytes] */
    size_t bytes, offset;
    struct png_picture *picture; /* one of these two is filled */
    struct image *image;
    png_structp png;
    png_infop info;
    png_bytepp rows;    /* [height] into the picture's pixels */
    int file_bits;      /* before conversions */
    bool is_grey_16;    /* and was not converted */
    enum status status; /* set before a jump */
};

static _Noreturn void jump_back(png_structp png, png_const_charp message)
{
    struct reader *r = png_get_error_ptr(png);

    r->status = FAIL(STATUS_BAD_INPUT, "%s: offset %llu: %s", r->name,
                     (unsigned long long)r->offset, message);
    png_longjmp(png, 1);
}

static void get_bytes(png_structp png, png_bytep out, size_t bytes)
{
    struct reader *r = png_get_io_ptr(png);

    if (bytes > r->bytes - r->offset)
        png_error(png, "the PNG file is truncated");
    memcpy(out, r->file + r->offset, bytes);
    r->offset += bytes;
}

static enum status check_size(const struct reader *r)
{
    const int64_t width = png_get_image_width(r->png, r->info);
    const int64_t height = png_get_image_height(r->png, r->info);
    const int64_t bytes = height * (int64_t)png_get_rowbytes(r->png, r->info);

    TRY(image_check_size(r->name, width, height));
    if (bytes / DEFLATE_RATIO_MAX > (int64_t)r->bytes)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the PNG file is truncated or damaged: its %llu bytes cannot hold %lld x "
                    "%lld pixels",
                    r->name, (unsigned long long)r->bytes, (long long)width, (long long)height);
    return STATUS_OK;
}

/* Asks for 8 bits per channel, and for colours where there is transparency. */
static void set_conversions(struct reader *r)
{
    const bool has_colour = (png_get_color_type(r->png, r->info) &
                             (PNG_COLOR_MASK_COLOR | PNG_COLOR_MASK_PALETTE)) != 0;
    const bool has_alpha = (png_get_color_type(r->png, r->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                           png_get_valid(r->png, r->info, PNG_INFO_tRNS) != 0;

    png_set_expand(r->png);
    png_set_scale_16(r->png);
    if (has_alpha && !has_colour)
        png_set_gray_to_rgb(r->png);
}

/* Asks for RGB of 8 bits. Grey of 16 bits stays as it is, because its lower bits are needed. */
static void set_conversions_to_rgb(struct reader *r)
{
    r->is_grey_16 =
        r->file_bits == 16 && png_get_color_type(r->png, r->info) == PNG_COLOR_TYPE_GRAY;
    if (r->is_grey_16)
        return;
    png_set_expand(r->png);
    png_set_strip_16(r->png);
    png_set_strip_alpha(r->png);
    png_set_gray_to_rgb(r->png);
}

static void make_room(struct reader *r)
{
    const int64_t width = png_get_image_width(r->png, r->info);
    const int64_t height = png_get_image_height(r->png, r->info);
    const int64_t row_bytes = (int64_t)png_get_rowbytes(r->png, r->info);
    int channels = 3;
    uint8_t *pixels = NULL;

    if (r->image != NULL) {
        image_set_size(r->image, width, height);
        pixels = r->image->pixels;
    } else {
        channels = png_get_channels(r->png, r->info);
        png_picture_init(r->picture, width, height, channels);
        r->picture->file_bits = r->file_bits;
        pixels = r->picture->pixels;
    }
    CHECK(row_bytes == width * (r->is_grey_16 ? 2 : channels));
    r->rows = MEM_NEW_N(png_bytep, height);
    for (int64_t y = 0; y < height; y++)
        r->rows[y] = pixels + y * width * channels;
}

/*
 * All chunks that do not concern the pixels are skipped; their checksums must hold nevertheless.
 * "Benign" to libpng are, for example, pixel data that does not match its own checksum.
 */
static void be_strict(png_structp png)
{
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(png, 0);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* check_size says it better */
}

/* Has no variables that a jump could leave undefined. */
static enum status decode_guarded(struct reader *r)
{
    if (setjmp(png_jmpbuf(r->png)) != 0)
        return r->status;
    r->info = png_create_info_struct(r->png);
    png_set_read_fn(r->png, r, get_bytes);
    be_strict(r->png);
    png_read_info(r->png, r->info);
    TRY(check_size(r));
    r->file_bits = png_get_bit_depth(r->png, r->info);
    if (r->image != NULL)
        set_conversions_to_rgb(r);
    else
        set_conversions(r);
    (void)png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    make_room(r);
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
    return STATUS_OK;
}

static enum status decode(struct reader *r)
{
    if (r->bytes < SIGNATURE_BYTES || png_sig_cmp(r->file, 0, SIGNATURE_BYTES) != 0)
        return FAIL(STATUS_BAD_INPUT, "%s: not a PNG file: the signature at its start is missing",
                    r->name);
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, jump_back, ignore_warning, NULL,
                                      allocate, deallocate);
    CHECK(r->png != NULL); /* compiled for another libpng */
    const enum status s = decode_guarded(r);
    png_destroy_read_struct(&r->png, &r->info, NULL);
    mem_free(r->rows);
    return s;
}

enum status png_picture_decode(struct png_picture *p, const char *name, const void *file,
                               size_t bytes)
{
    struct reader r = {.name = name, .file = file, .bytes = bytes, .picture = p};

    *p = (struct png_picture){0};
    const enum status s = decode(&r);
    if (s != STATUS_OK)
        png_picture_release(p);
    return s;
}

/* From the right, because each row of pixels has first the 16 bits of all its values. */
static bool clip_grey_16(uint8_t *row, int64_t width)
{
    bool is_clipped = false;

    for (int64_t x = width - 1; x >= 0; x--) {
        const uint8_t value = row[2 * x] > 0 ? 255 : row[2 * x + 1];

        is_clipped = is_clipped || row[2 * x] > 0;
        memset(row + 3 * x, value, 3);
    }
    return is_clipped;
}

static void convert_grey_16(struct image *im)
{
    bool is_clipped = false;

    for (int64_t y = 0; y < im->height; y++)
        is_clipped = clip_grey_16(im->pixels + y * 3 * im->width, im->width) || is_clipped;
    if (is_clipped)
        snprintf(im->warning, sizeof im->warning,
                 "grey values of 16 bits are clipped at 255; convert the file to 8 bits");
}

enum status png_decode_rgb(struct image *im, const char *name, const void *file, size_t bytes)
{
    struct reader r = {.name = name, .file = file, .bytes = bytes, .image = im};

    im->warning[0] = '\0';
    const enum status s = decode(&r);
    if (s != STATUS_OK)
        im->width = im->height = 0;
    else if (r.is_grey_16)
        convert_grey_16(im);
    return s;
}

enum status png_picture_load(struct png_picture *p, const char *path)
{
    struct text file = {0};

    *p = (struct png_picture){0};
    TRY(file_read(path, file_limit, &file));
    const enum status s = png_picture_decode(p, path, file.data, file.length);
    text_release(&file);
    return s;
}

/* --- writing --- */

static _Noreturn void end_program(png_structp png, png_const_charp message)
{
    (void)png;
    BUG(message);
}

static void put_bytes(png_structp png, png_bytep data, size_t bytes)
{
    text_add_n(png_get_io_ptr(png), (const char *)data, bytes);
}

/* Without one of ours libpng would flush a FILE. */
static void flush_nothing(png_structp png)
{
    (void)png;
}

static int color_type(int channels)
{
    switch (channels) {
    case 1:
        return PNG_COLOR_TYPE_GRAY;
    case 3:
        return PNG_COLOR_TYPE_RGB;
    default:
        return PNG_COLOR_TYPE_RGB_ALPHA;
    }
}

void png_picture_encode(const struct png_picture *p, struct text *out)
{
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, end_program,
                                                ignore_warning, NULL, allocate, deallocate);
    png_infop info = NULL;

    CHECK(png != NULL && is_valid(p));
    info = png_create_info_struct(png);
    png_set_write_fn(png, out, put_bytes, flush_nothing);
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, 8,
                 color_type(p->channels), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int64_t y = 0; y < p->height; y++)
        png_write_row(png, p->pixels + y * p->width * p->channels);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

static enum status write_file(const struct png_picture *p, struct file_writer *out)
{
    struct text file = {0};

    png_picture_encode(p, &file);
    const enum status s = file_writer_put(out, file.data, file.length);
    text_release(&file);
    return s;
}

enum status png_picture_save(const struct png_picture *p, const char *path)
{
    struct file_writer out;

    TRY(file_writer_open(&out, path));
    return file_writer_close(&out, write_file(p, &out));
}
