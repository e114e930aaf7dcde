/*
 * augment.c - see augment.h.
 *
 * Python rounds halves to even numbers, as nearbyint does. Random numbers of a sample and epoch:
 *
 *     draw 4 t + 0 ... 3   attempt t of a random part: area, aspect, y, x
 *     draw 40              flip
 *     draw 41, 42          window in the padded picture: y, x
 */
#include "data/augment.h"

#include <math.h>

#include "base/check.h"
#include "base/portable_math.h"
#include "base/rng.h"

enum { ATTEMPTS = 10, DRAWS_PER_ATTEMPT = 4 };
enum { DRAW_FLIP = ATTEMPTS * DRAWS_PER_ATTEMPT, DRAW_Y, DRAW_X };

/* The random numbers of one sample in one epoch. */
struct draws {
    struct rng rng;
    uint64_t sample;
};

static double draw_between(const struct draws *d, uint32_t draw, double low, double high)
{
    return low + rng_uniform(&d->rng, d->sample, draw) * (high - low);
}

static int64_t draw_below(const struct draws *d, uint32_t draw, int64_t bound)
{
    return rng_below(&d->rng, d->sample, draw, bound);
}

static int64_t rounded(double x)
{
    return (int64_t)nearbyint(x);
}

/* --- rules --- */

struct augment augment_center(int64_t width, int64_t height, int64_t short_side)
{
    return (struct augment){
        .crop = AUGMENT_CENTER, .width = width, .height = height, .short_side = short_side};
}

struct augment augment_padded(int64_t width, int64_t height, int64_t padding)
{
    return (struct augment){
        .crop = AUGMENT_PADDED, .width = width, .height = height, .padding = padding};
}

struct augment augment_resized(int64_t width, int64_t height)
{
    return (struct augment){
        .crop = AUGMENT_RESIZED,
        .width = width,
        .height = height,
        .area = {0.08,      1.0      },
        .aspect = {3.0 / 4.0, 4.0 / 3.0},
    };
}

/* --- the centre --- */

/* Where a window begins in the middle of a side; negative: it is longer than the side. */
static int64_t middle(int64_t side, int64_t window)
{
    return side < window ? -((window - side) / 2) : rounded((double)(side - window) / 2);
}

static struct view center_view(const struct augment *a, int64_t width, int64_t height)
{
    const int64_t shorter = width < height ? width : height;
    const int64_t side = a->short_side == 0 ? shorter : a->short_side;
    struct view v = {
        .crop = {0, 0, width, height}
    };

    v.width = side * width / shorter;
    v.height = side * height / shorter;
    v.window = (struct pixel_box){middle(v.width, a->width), middle(v.height, a->height), a->width,
                                  a->height};
    return v;
}

/* --- a random window of the padded picture --- */

static int64_t padded_start(const struct draws *d, uint32_t draw, int64_t side, int64_t window,
                            int64_t padding)
{
    const int64_t places = side + 2 * padding - window + 1;

    return places < 1 ? middle(side, window) : draw_below(d, draw, places) - padding;
}

static struct view padded_view(const struct augment *a, int64_t width, int64_t height,
                               const struct draws *d)
{
    struct view v = {.width = width, .height = height};

    v.crop = (struct pixel_box){.width = width, .height = height};
    v.window = (struct pixel_box){
        .x = padded_start(d, DRAW_X, width, a->width, a->padding),
        .y = padded_start(d, DRAW_Y, height, a->height, a->padding),
        .width = a->width,
        .height = a->height,
    };
    return v;
}

/* --- a random part, resized --- */

/* No width: this attempt does not fit into the picture. */
static struct pixel_box attempt_part(const struct augment *a, int64_t width, int64_t height,
                                     const struct draws *d, uint32_t attempt)
{
    const uint32_t draw = attempt * DRAWS_PER_ATTEMPT;
    const double area = (double)(width * height) * draw_between(d, draw, a->area[0], a->area[1]);
    const double aspect = portable_exp(
        draw_between(d, draw + 1, portable_log(a->aspect[0]), portable_log(a->aspect[1])));
    struct pixel_box part = {.width = rounded(sqrt(area * aspect)),
                             .height = rounded(sqrt(area / aspect))};

    if (part.width <= 0 || part.width > width || part.height <= 0 || part.height > height)
        return (struct pixel_box){0};
    part.y = draw_below(d, draw + 2, height - part.height + 1);
    part.x = draw_below(d, draw + 3, width - part.width + 1);
    return part;
}

/* The largest centred part whose shape is allowed. */
static struct pixel_box center_part(const struct augment *a, int64_t width, int64_t height)
{
    const double aspect = (double)width / (double)height;
    struct pixel_box part = {.width = width, .height = height};

    if (aspect < a->aspect[0])
        part.height = rounded((double)width / a->aspect[0]);
    else if (aspect > a->aspect[1])
        part.width = rounded((double)height * a->aspect[1]);
    part.x = (width - part.width) / 2;
    part.y = (height - part.height) / 2;
    return part;
}

static struct view resized_view(const struct augment *a, int64_t width, int64_t height,
                                const struct draws *d)
{
    struct view v = {
        .width = a->width,
        .height = a->height,
        .window = {0, 0, a->width, a->height},
    };

    CHECK(a->area[0] > 0 && a->area[0] <= a->area[1] && a->aspect[0] > 0 &&
          a->aspect[0] <= a->aspect[1]);
    for (uint32_t t = 0; t < ATTEMPTS && v.crop.width == 0; t++)
        v.crop = attempt_part(a, width, height, d, t);
    if (v.crop.width == 0)
        v.crop = center_part(a, width, height);
    return v;
}

/* --- all --- */

static struct view draw_view(const struct augment *a, int64_t width, int64_t height,
                             const struct draws *d)
{
    switch (a->crop) {
    case AUGMENT_CENTER:
        return center_view(a, width, height);
    case AUGMENT_PADDED:
        return padded_view(a, width, height, d);
    case AUGMENT_RESIZED:
        return resized_view(a, width, height, d);
    }
    BUG("unknown kind of crop");
}

struct view augment_view(const struct augment *a, int64_t width, int64_t height,
                         struct augment_key key)
{
    const struct draws d = {.rng = rng_make(key.seed, RNG_AUGMENT, (uint32_t)key.epoch),
                            .sample = (uint64_t)key.sample};

    CHECK(width > 0 && height > 0 && a->width > 0 && a->height > 0 && a->short_side >= 0);
    CHECK(a->padding >= 0 && key.sample >= 0 && key.epoch >= 0);
    struct view v = draw_view(a, width, height, &d);
    v.is_flipped = a->is_flipping && rng_uniform(&d.rng, d.sample, DRAW_FLIP) < 0.5;
    return v;
}
