/*
 * floor_plan_prepare.c - see floor_plan_prepare.h.
 */
#include "data/floor_plan_prepare.h"

#include <math.h>

#include "base/check.h"
#include "base/mem.h"

/* --- from colours to how much wall there is, in [0, 1] --- */

/* Brightness by ITU-R BT.601, as most programs have it. */
static double brightness(const uint8_t *pixel, int channels)
{
    if (channels == 1)
        return pixel[0] / 255.0;
    return (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) / 255.0;
}

static double *wall_shares(const struct png_picture *p, bool has_dark_walls)
{
    double *shares = MEM_NEW_N(double, p->width * p->height);

    for (int64_t i = 0; i < p->width * p->height; i++) {
        const uint8_t *pixel = p->pixels + i * p->channels;
        const double bright = brightness(pixel, p->channels);
        const double opacity = p->channels == 4 ? pixel[3] / 255.0 : 1;

        shares[i] = opacity * (has_dark_walls ? 1 - bright : bright);
    }
    return shares;
}

/* --- resizing --- */

/* Lines of a picture that become longer or shorter; line i begins at number i of the picture. */
struct resizing {
    int64_t from, to; /* their length */
    int64_t lines;    /* how many there are */
    int64_t step;     /* between neighbours in a line */
};

/*
 * A triangle, as wide as two pixels of the coarser one of both pictures, around each new pixel: an
 * average where the picture becomes smaller, linear interpolation where it becomes larger.
 */
static void resize_lines(const double *in, double *out, const struct resizing *r)
{
    const double scale = (double)r->from / (double)r->to, reach = scale > 1 ? scale : 1;

    for (int64_t i = 0; i < r->to; i++) {
        const double centre = ((double)i + 0.5) * scale - 0.5;
        const double first = fmax(0, ceil(centre - reach));
        const double last = fmin((double)(r->from - 1), floor(centre + reach));

        for (int64_t line = 0; line < r->lines; line++) {
            double sum = 0, weights = 0;

            for (int64_t k = (int64_t)first; k <= (int64_t)last; k++) {
                const double weight = 1 - fabs((double)k - centre) / reach;

                sum += weight * in[line + k * r->step];
                weights += weight;
            }
            out[line + i * r->step] = sum / weights;
        }
    }
}

/* [to_height][to_width] from [height][width], which is freed. */
static double *resize(double *in, int64_t width, int64_t height, int64_t to_width,
                      int64_t to_height)
{
    double *wide = MEM_NEW_N(double, to_width *height);
    double *out = MEM_NEW_N(double, to_width *to_height);

    for (int64_t y = 0; y < height; y++) /* one by one, as they are in memory */
        resize_lines(in + y * width, wide + y * to_width,
                     &(struct resizing){.from = width, .to = to_width, .lines = 1, .step = 1});
    resize_lines(
        wide, out,
        &(struct resizing){.from = height, .to = to_height, .lines = to_width, .step = to_width});
    mem_free(wide);
    mem_free(in);
    return out;
}

/* The length of the longer side, rounded. */
static int64_t longer_side(int64_t longer, int64_t shorter, int64_t new_shorter)
{
    return (2 * longer * new_shorter + shorter) / (2 * shorter);
}

static enum status choose_size(const struct png_picture *picture, int64_t short_side,
                               const char *name, int64_t size[2])
{
    const int64_t w = picture->width, h = picture->height;

    size[0] = short_side == 0 ? w : w <= h ? short_side : longer_side(w, h, short_side);
    size[1] = short_side == 0 ? h : w <= h ? longer_side(h, w, short_side) : short_side;
    if (size[0] < FLOOR_PLAN_SIDE_MIN || size[1] < FLOOR_PLAN_SIDE_MIN ||
        size[0] > FLOOR_PLAN_SIDE_MAX || size[1] > FLOOR_PLAN_SIDE_MAX)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the plan would have %lld x %lld pixels; each side of a floor plan has %d "
                    "to %d",
                    name, (long long)size[0], (long long)size[1], FLOOR_PLAN_SIDE_MIN,
                    FLOOR_PLAN_SIDE_MAX);
    return STATUS_OK;
}

/* --- specks --- */

static void replace_small(struct floor_plan *p, const int32_t *labels, int64_t count,
                          const struct floor_plan_preparation *how, uint8_t value)
{
    int64_t *sizes = MEM_NEW_N(int64_t, count + 1);

    for (int64_t i = 0; i < p->width * p->height; i++)
        sizes[labels[i]]++;
    for (int64_t i = 0; i < p->width * p->height; i++) {
        if (labels[i] != 0 && sizes[labels[i]] < how->speck)
            p->pixels[i] = value;
    }
    mem_free(sizes);
}

static void remove_specks(struct floor_plan *p, const struct floor_plan_preparation *how)
{
    int32_t *labels = MEM_NEW_N(int32_t, p->width * p->height);

    const int64_t pieces = floor_plan_label_walls(p, labels);
    replace_small(p, labels, pieces, how, FLOOR_PLAN_FREE);
    const int64_t areas = floor_plan_label_areas(p, labels);
    replace_small(p, labels, areas, how, FLOOR_PLAN_WALL);
    mem_free(labels);
}

/* --- all --- */

static enum status check_content(const struct floor_plan *p, const char *name)
{
    const int64_t walls = floor_plan_count_walls(p);

    if (walls == 0)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the plan has no walls; are its walls dark? (--dark-walls)", name);
    if (walls == p->width * p->height)
        return FAIL(STATUS_BAD_INPUT,
                    "%s: the plan has no free pixels; are its walls dark? (--dark-walls)", name);
    return STATUS_OK;
}

enum status floor_plan_prepare(struct floor_plan *p, const struct png_picture *picture,
                               const struct floor_plan_preparation *how, const char *name)
{
    int64_t size[2];

    *p = (struct floor_plan){0};
    TRY(choose_size(picture, how->short_side, name, size));
    double *shares = wall_shares(picture, how->has_dark_walls);
    if (size[0] != picture->width || size[1] != picture->height)
        shares = resize(shares, picture->width, picture->height, size[0], size[1]);
    floor_plan_init(p, size[0], size[1]);
    for (int64_t i = 0; i < p->width * p->height; i++)
        p->pixels[i] = shares[i] >= 0.5 ? FLOOR_PLAN_WALL : FLOOR_PLAN_FREE;
    mem_free(shares);
    remove_specks(p, how);
    const enum status s = check_content(p, name);
    if (s != STATUS_OK)
        floor_plan_release(p);
    return s;
}
