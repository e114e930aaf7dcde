/*
 * pictures.c - see pictures.h.
 */
#include "record/pictures.h"

#include <string.h>

/* A filled rectangle of a picture in colours. */
struct rectangle {
    int64_t x, y, width, height;
    const uint8_t *colour; /* [channels] */
};

static void fill(struct png_picture *p, const struct rectangle *r)
{
    const int64_t channels = p->channels;

    for (int64_t y = r->y; y < r->y + r->height; y++)
        for (int64_t x = r->x; x < r->x + r->width; x++)
            memcpy(p->pixels + (y * p->width + x) * channels, r->colour, (size_t)channels);
}

/* --- the confusion matrix --- */

enum { CONFUSION_SIDE = 480, CELL_MAX = 32 };

/* From white over light to dark blue, darker from end to end: also readable in grey. */
static void share_colour(double share, uint8_t colour[3])
{
    static const double stops[3][3] = {
        {247, 251, 255},
        {107, 174, 214},
        {8,   48,  107},
    };
    const int from = share < 0.5 ? 0 : 1;
    const double part = 2 * share - from;

    for (int i = 0; i < 3; i++)
        colour[i] = (uint8_t)(stops[from][i] + part * (stops[from + 1][i] - stops[from][i]) + 0.5);
}

static int64_t cell_side(int64_t classes)
{
    const int64_t side = CONFUSION_SIDE / classes;

    return side > CELL_MAX ? CELL_MAX : side > 1 ? side : 1;
}

static void draw_row(const struct confusion *c, int64_t row, struct png_picture *p)
{
    const int64_t *counts = c->matrix + row * c->classes;
    const int64_t side = cell_side(c->classes);
    const int64_t gap = side > 4 ? 1 : 0;
    int64_t total = 0;

    for (int64_t k = 0; k < c->classes; k++)
        total += counts[k];
    for (int64_t k = 0; k < c->classes; k++) {
        uint8_t colour[3];

        share_colour(total > 0 ? (double)counts[k] / (double)total : 0, colour);
        fill(p, &(struct rectangle){k * side, row * side, side - gap, side - gap, colour});
    }
}

void pictures_confusion(const struct confusion *c, struct png_picture *p)
{
    const int64_t side = cell_side(c->classes) * c->classes;

    png_picture_init(p, side, side, 3);
    memset(p->pixels, 200, (size_t)(side * side * 3)); /* the lines between cells */
    for (int64_t row = 0; row < c->classes; row++)
        draw_row(c, row, p);
}

/* --- images --- */

enum { GRID_COLUMNS = 8, GRID_GAP = 2 };

static void copy_image(const struct picture_images *images, int64_t i, struct png_picture *p)
{
    const int64_t left = i % GRID_COLUMNS * (images->width + GRID_GAP);
    const int64_t top = i / GRID_COLUMNS * (images->height + GRID_GAP);
    const int64_t row = images->width * images->channels;
    const uint8_t *from = images->pixels + i * images->height * row;

    for (int64_t y = 0; y < images->height; y++)
        memcpy(p->pixels + ((top + y) * p->width + left) * p->channels, from + y * row,
               (size_t)row);
}

void pictures_grid(const struct picture_images *images, struct png_picture *p)
{
    const int64_t columns = images->count < GRID_COLUMNS ? images->count : GRID_COLUMNS;
    const int64_t rows = (images->count + GRID_COLUMNS - 1) / GRID_COLUMNS;
    const int64_t width = columns * (images->width + GRID_GAP) - GRID_GAP;
    const int64_t height = rows * (images->height + GRID_GAP) - GRID_GAP;

    png_picture_init(p, width, height, images->channels);
    memset(p->pixels, 128, (size_t)(width * height * images->channels));
    for (int64_t i = 0; i < images->count; i++)
        copy_image(images, i, p);
}
