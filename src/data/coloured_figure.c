/*
 * coloured_figure.c - see coloured_figure.h. The same bytes on every machine: as figure.c, with
 * integers only for the colours and the grain.
 */
#include "data/coloured_figure.h"

#include "base/text.h"
#include "data/figure.h"

enum { COLOURS = 10, FIGURE_PIXELS = FIGURE_SIDE * FIGURE_SIDE };
enum { GRAIN = 16 }; /* the greatest difference that grain makes, of 255 */

/* Numbers of draws, behind those of figure.c. */
enum { DRAW_COLOUR = 2000, DRAW_GROUND, DRAW_GRAIN = 3000 };

struct colour {
    const char *name;
    uint8_t light[3], dark[3]; /* of figures, of grounds */
};

static const struct colour colours[COLOURS] = {
    {"red",    {235, 60, 50},   {110, 20, 20}},
    {"blue",   {70, 110, 245},  {20, 30, 110}},
    {"green",  {70, 205, 80},   {20, 85, 30} },
    {"yellow", {245, 230, 70},  {110, 95, 15}},
    {"purple", {175, 80, 230},  {70, 25, 95} },
    {"orange", {250, 150, 45},  {120, 60, 10}},
    {"cyan",   {75, 220, 230},  {15, 85, 95} },
    {"pink",   {250, 150, 195}, {115, 45, 80}},
    {"brown",  {170, 115, 75},  {70, 45, 25} },
    {"white",  {245, 245, 245}, {75, 75, 75} },
};

char *coloured_figure_name(int64_t label, int64_t classes)
{
    const char *kind = figure_names[label % FIGURE_KINDS];
    const char *colour = colours[label / FIGURE_KINDS % COLOURS].name;
    const char *ground = colours[label / FIGURE_KINDS / COLOURS % COLOURS].name;

    if (classes <= FIGURE_KINDS)
        return text_format("%s", kind);
    if (classes <= FIGURE_KINDS * COLOURS)
        return text_format("%s_%s", colour, kind);
    return text_format("%s_%s_on_%s", colour, kind, ground);
}

void coloured_figure_release(struct coloured_figure *c)
{
    resizer_release(&c->resizer);
}

/* The small picture in colours: from the ground's to the figure's by the light of each pixel. */
static void colour_in(uint8_t *rgb, const uint8_t *light, const uint8_t *ground,
                      const uint8_t *figure)
{
    for (int i = 0; i < FIGURE_PIXELS; i++)
        for (int c = 0; c < 3; c++)
            rgb[3 * i + c] =
                (uint8_t)((ground[c] * (255 - light[i]) + figure[c] * light[i] + 127) / 255);
}

static uint8_t with_grain(int value, int byte)
{
    const int v = value + (byte - 128) * GRAIN / 128;

    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void add_grain(struct image *im, const struct rng *r, uint64_t index)
{
    const int64_t bytes = im->width * im->height * 3;

    for (int64_t i = 0; i < bytes; i += 16) {
        uint32_t words[4];

        rng_words(r, index, (uint32_t)(DRAW_GRAIN + i / 16), words);
        for (int64_t k = 0; k < 16 && i + k < bytes; k++)
            im->pixels[i + k] =
                with_grain(im->pixels[i + k], (int)(words[k / 4] >> (k % 4 * 8) & 255));
    }
}

void coloured_figure_draw(struct coloured_figure *c, struct image *im, const struct rng *r,
                          uint64_t index, int64_t label, int64_t classes)
{
    const int64_t colour = classes > FIGURE_KINDS ? label / FIGURE_KINDS % COLOURS
                                                  : rng_below(r, index, DRAW_COLOUR, COLOURS);
    const int64_t ground = classes > FIGURE_KINDS * COLOURS
                               ? label / FIGURE_KINDS / COLOURS % COLOURS
                               : rng_below(r, index, DRAW_GROUND, COLOURS);
    uint8_t light[FIGURE_PIXELS], rgb[3 * FIGURE_PIXELS];
    const struct resize_source small = {rgb, FIGURE_SIDE, FIGURE_SIDE, 3L * FIGURE_SIDE};
    const struct resize_target whole = resize_whole(&small, im->width, im->height);

    figure_draw(light, r, index, (int)(label % FIGURE_KINDS));
    colour_in(rgb, light, colours[ground].dark, colours[colour].light);
    resize_bilinear(&c->resizer, im->pixels, &small, &whole);
    add_grain(im, r, index);
}
