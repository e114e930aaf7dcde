/*
 * data_sheet.c - a contact sheet: images of a data set in rows, enlarged, with the names of their
 * classes.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/data_samples.h"
#include "cli/pixel_letters.h"
#include "format/image.h"
#include "format/png.h"

enum { IMAGE_MIN = 84, GAP = 8, NAME_GAP = 3, RGB = 3, WHITE = 255 };

struct sheet {
    const struct data_samples *samples;
    int64_t scale; /* pixels of the picture for one of an image, in each direction */
    int64_t across, down;
    int64_t cell_width, cell_height; /* with the name and the gap */
    struct png_picture picture;
};

static void sheet_init(struct sheet *t, const struct data_samples *s)
{
    const struct dataset *d = s->dataset;

    *t = (struct sheet){.samples = s, .scale = (IMAGE_MIN + d->width - 1) / d->width};
    while (t->across * t->across < s->count)
        t->across++;
    t->down = (s->count + t->across - 1) / t->across;
    t->cell_width = d->width * t->scale + GAP;
    t->cell_height = d->height * t->scale + NAME_GAP + PIXEL_LETTER_HEIGHT + GAP;
}

static void draw_pixel(struct sheet *t, const uint8_t *from, int64_t x, int64_t y)
{
    struct png_picture *p = &t->picture;
    const int64_t channels = t->samples->dataset->channels;

    for (int64_t row = 0; row < t->scale; row++)
        for (int64_t column = 0; column < t->scale; column++)
            for (int64_t c = 0; c < p->channels; c++)
                p->pixels[((y + row) * p->width + x + column) * p->channels + c] =
                    from[c < channels ? c : channels - 1];
}

/* Of several names that do not fit, "kit fox, Vulpes macrotis", only the first. */
static void shorten(char *name, int64_t width)
{
    if (text_letters(name) * PIXEL_LETTER_WIDTH > width + 1)
        name[strcspn(name, ",")] = '\0';
}

static void draw_sample(struct sheet *t, int64_t i)
{
    const struct dataset *d = t->samples->dataset;
    const int64_t left = GAP + i % t->across * t->cell_width;
    const int64_t top = GAP + i / t->across * t->cell_height;
    const uint8_t *image =
        t->samples->part->bytes + t->samples->numbers[i] * d->height * d->width * d->channels;
    char *name = data_samples_class(t->samples, i);

    for (int64_t y = 0; y < d->height; y++)
        for (int64_t x = 0; x < d->width; x++)
            draw_pixel(t, image + (y * d->width + x) * d->channels, left + x * t->scale,
                       top + y * t->scale);
    shorten(name, d->width * t->scale);
    pixel_letters_draw(&t->picture, left, top + d->height * t->scale + NAME_GAP,
                       d->width * t->scale, name);
    mem_free(name);
}

/* Images of one channel, or of two, are grey; of more, the first three are red, green and blue. */
static enum status sheet_draw(struct sheet *t)
{
    const int64_t width = GAP + t->across * t->cell_width;
    const int64_t height = GAP + t->down * t->cell_height;
    const int channels = t->samples->dataset->channels < RGB ? 1 : RGB;

    if (width > IMAGE_SIDE_MAX || height > IMAGE_SIDE_MAX || width * height > IMAGE_PIXELS_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "--png: a picture of %lld x %lld pixels is too large; use a smaller --count",
                    (long long)width, (long long)height);
    png_picture_init(&t->picture, width, height, channels);
    memset(t->picture.pixels, WHITE, (size_t)(width * height * channels));
    for (int64_t i = 0; i < t->samples->count; i++)
        draw_sample(t, i);
    return STATUS_OK;
}

enum status data_sheet_save(const struct data_samples *s, const char *path)
{
    struct sheet t;

    if (s->part->bytes == NULL || s->dataset->classes == 0)
        return FAIL(STATUS_BAD_INPUT, "--png: data set %s has no images with classes",
                    s->dataset->ops->entry.name);
    if (s->count == 0)
        return FAIL(STATUS_BAD_INPUT, "--png: a picture needs at least one sample (--count)");
    sheet_init(&t, s);
    TRY(sheet_draw(&t));
    const enum status status = png_picture_save(&t.picture, path);
    png_picture_release(&t.picture);
    return status;
}
