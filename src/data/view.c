/*
 * view.c - see view.h.
 */
#include "data/view.h"

#include <string.h>

#include "base/check.h"

enum { CHANNELS = 3 };

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The part of the window that has pixels; no width or height: none has. */
static struct pixel_box covered(const struct view *v)
{
    const struct pixel_box *w = &v->window;
    const int64_t x = at_least(w->x, 0), y = at_least(w->y, 0);

    return (struct pixel_box){
        .x = x,
        .y = y,
        .width = at_least(at_most(w->x + w->width, v->width) - x, 0),
        .height = at_least(at_most(w->y + w->height, v->height) - y, 0),
    };
}

static struct resize_source crop_of(const struct resize_source *picture, const struct view *v)
{
    const struct pixel_box *c = &v->crop;

    CHECK(c->x >= 0 && c->width > 0 && c->x + c->width <= picture->width);
    CHECK(c->y >= 0 && c->height > 0 && c->y + c->height <= picture->height);
    return (struct resize_source){
        .pixels = picture->pixels + c->y * picture->row_bytes + c->x * CHANNELS,
        .width = c->width,
        .height = c->height,
        .row_bytes = picture->row_bytes,
    };
}

static void copy_rows(uint8_t *out, const struct resize_source *crop, const struct pixel_box *part,
                      int64_t row_bytes)
{
    for (int64_t y = 0; y < part->height; y++) {
        const uint8_t *row = crop->pixels + (part->y + y) * crop->row_bytes + part->x * CHANNELS;

        memcpy(out + y * row_bytes, row, (size_t)(part->width * CHANNELS));
    }
}

static void flip_row(uint8_t *row, int64_t width)
{
    for (int64_t a = 0, b = width - 1; a < b; a++, b--) {
        for (int c = 0; c < CHANNELS; c++) {
            const uint8_t kept = row[a * CHANNELS + c];

            row[a * CHANNELS + c] = row[b * CHANNELS + c];
            row[b * CHANNELS + c] = kept;
        }
    }
}

static void render_part(struct resizer *r, uint8_t *out, const struct resize_source *crop,
                        const struct view *v, struct pixel_box part)
{
    const int64_t row_bytes = v->window.width * CHANNELS;
    struct resize_target t = resize_whole(crop, v->width, v->height);

    if (v->width == crop->width && v->height == crop->height) {
        copy_rows(out, crop, &part, row_bytes);
        return;
    }
    t.window = part;
    t.row_bytes = row_bytes;
    resize_bilinear(r, out, crop, &t);
}

void view_render(struct resizer *r, uint8_t *out, const struct resize_source *picture,
                 const struct view *v)
{
    const struct resize_source crop = crop_of(picture, v);
    const struct pixel_box *w = &v->window, part = covered(v);

    CHECK(w->width > 0 && w->height > 0);
    if (part.width < w->width || part.height < w->height)
        memset(out, 0, (size_t)(w->height * w->width * CHANNELS));
    if (part.width > 0 && part.height > 0)
        render_part(r, out + ((part.y - w->y) * w->width + part.x - w->x) * CHANNELS, &crop, v,
                    part);
    for (int64_t y = 0; y < w->height && v->is_flipped; y++)
        flip_row(out + y * w->width * CHANNELS, w->width);
}
