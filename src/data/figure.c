/*
 * figure.c - drawing a figure from its signed distance: negative inside, positive outside, in
 * pixels, so that an edge of any softness is a ramp over the distance.
 *
 * Only + - * / and sqrt are used, which IEEE 754 rounds the same everywhere: a picture has the same
 * bytes on every machine.
 */
#include "data/figure.h"

#include <math.h>

enum { DRAW_NOISE = 1000, LINES_MAX = 3 }; /* shape draws are numbered below DRAW_NOISE */

/* A figure's own numbers: half its size, half its line width, both in pixels. */
struct form {
    double size, line;
};

typedef double form_distance(double u, double v, const struct form *f);

static double length(double u, double v)
{
    return sqrt(u * u + v * v);
}

static double box(double u, double v, double half_width, double half_height)
{
    return fmax(fabs(u) - half_width, fabs(v) - half_height);
}

static double disc(double u, double v, const struct form *f)
{
    return length(u, v) - f->size;
}

static double ring(double u, double v, const struct form *f)
{
    return fabs(length(u, v) - f->size + f->line) - f->line;
}

static double square(double u, double v, const struct form *f)
{
    return box(u, v, 0.88 * f->size, 0.88 * f->size);
}

static double frame(double u, double v, const struct form *f)
{
    return fabs(square(u, v, f) + f->line) - f->line;
}

/* Equilateral, centred; 0.866 is sin 60 degrees. */
static double triangle(double u, double v, const struct form *f)
{
    return fmax(0.866 * fabs(u) + 0.5 * v, -v) - 0.6 * f->size;
}

static double cross(double u, double v, const struct form *f)
{
    return fmin(box(u, v, f->size, 1.3 * f->line), box(u, v, 1.3 * f->line, f->size));
}

/* Five points: two foldings leave one half of one point, bounded by a line from tip to notch. */
static double star(double u, double v, const struct form *f)
{
    const double c = 0.809016994, s = 0.587785252; /* of 36 degrees */
    double x = fabs(u), fold, side;

    fold = 2.0 * fmax(c * x - s * v, 0.0);
    x -= fold * c;
    v += fold * s;
    fold = 2.0 * fmax(-c * x - s * v, 0.0);
    x = fabs(x + fold * c);
    v = v + fold * s;
    /* The tip is at (0, 1.1 size), the notch at 0.45 of that, 36 degrees off. */
    v -= 1.1 * f->size;
    side = x * (1.0 - 0.45 * c) + v * 0.45 * s;
    return side / length(1.0 - 0.45 * c, 0.45 * s);
}

static double moon(double u, double v, const struct form *f)
{
    return fmax(length(u, v) - f->size, 0.85 * f->size - length(u - 0.6 * f->size, v));
}

/* The distance to the middle of the nearest of lines that repeat every `period`. */
static double repeat(double u, double period)
{
    const double turns = u / period + 0.5;

    return fabs(turns - floor(turns) - 0.5) * period;
}

static double stripes(double u, double v, const struct form *f)
{
    const double period = 0.7 * f->size;

    return fmax(square(u, v, f), repeat(u, period) - 0.25 * period);
}

static double checker(double u, double v, const struct form *f)
{
    const double cell = 0.88 * f->size * 2.0 / 3.0; /* three by three */
    const double a = repeat(u, 2.0 * cell) - 0.5 * cell, b = repeat(v, 2.0 * cell) - 0.5 * cell;
    const double nearest = fmin(fabs(a), fabs(b));

    return fmax(square(u, v, f), a * b > 0.0 ? -nearest : nearest);
}

static form_distance *const distances[FIGURE_KINDS] = {
    disc, ring, square, frame, triangle, cross, star, moon, stripes, checker,
};
const char *const figure_names[FIGURE_KINDS] = {
    "disc", "ring", "square", "frame", "triangle", "cross", "star", "moon", "stripes", "checker",
};

/* Draws one number after the other for one sample. */
struct pen {
    const struct rng *rng;
    uint64_t index;
    uint32_t draw;
};

static double between(struct pen *p, double low, double high)
{
    return low + (high - low) * rng_uniform(p->rng, p->index, p->draw++);
}

/* 1 inside, 0 outside, a ramp of `softness` pixels at the edge. */
static double cover(double distance, double softness)
{
    return fmin(fmax(0.5 - distance / softness, 0.0), 1.0);
}

/* A point on the unit circle without libm; t in [-1, 1] is the angles from -90 to 90 degrees. */
static void turn(struct pen *p, double most, double *c, double *s)
{
    const double t = between(p, -most, most);

    *c = (1.0 - t * t) / (1.0 + t * t);
    *s = 2.0 * t / (1.0 + t * t);
}

/* Light that grows across the picture, so that no pixel's brightness means anything alone. */
static void paint_ground(double *light, struct pen *p)
{
    const double ground = between(p, 0.1, 0.35);
    const double right = between(p, -0.2, 0.2), down = between(p, -0.2, 0.2);
    const double middle = (FIGURE_SIDE - 1) / 2.0;

    for (int y = 0; y < FIGURE_SIDE; y++)
        for (int x = 0; x < FIGURE_SIDE; x++)
            light[y * FIGURE_SIDE + x] =
                ground + (right * (x - middle) + down * (y - middle)) / FIGURE_SIDE;
}

static void paint_figure(double *light, struct pen *p, form_distance *distance)
{
    const struct form f = {.size = between(p, 6.0, 10.5), .line = between(p, 0.8, 1.8)};
    const double cx = between(p, 10.5, 16.5), cy = between(p, 10.5, 16.5);
    const double stretch = between(p, 0.85, 1.18), softness = between(p, 1.0, 3.0);
    const double by = between(p, 0.25, 0.65);
    double c, s;

    turn(p, 0.35, &c, &s);
    for (int y = 0; y < FIGURE_SIDE; y++) {
        for (int x = 0; x < FIGURE_SIDE; x++) {
            const double u = (x - cx) * c + (y - cy) * s, v = (y - cy) * c - (x - cx) * s;
            const double d = distance(u * stretch, v / stretch, &f);

            light[y * FIGURE_SIDE + x] += by * cover(d, softness);
        }
    }
}

/* A straight line from edge to edge or ending inside, as clutter. */
static void paint_line(double *light, struct pen *p)
{
    const double cx = between(p, 0.0, FIGURE_SIDE), cy = between(p, 0.0, FIGURE_SIDE);
    const double half = between(p, 4.0, 16.0), line = between(p, 0.4, 1.1);
    const double by = between(p, 0.1, 0.5);
    double c, s;

    turn(p, 1.0, &c, &s);
    for (int y = 0; y < FIGURE_SIDE; y++) {
        for (int x = 0; x < FIGURE_SIDE; x++) {
            const double u = (x - cx) * c + (y - cy) * s, v = (y - cy) * c - (x - cx) * s;

            light[y * FIGURE_SIDE + x] += by * cover(box(u, v, half, line), 1.0);
        }
    }
}

/* A word's four bytes added are nearly normal: mean 510, deviation 147.8. */
static double noise(uint32_t word)
{
    const int sum = (int)((word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24));

    return (sum - 510) / 147.8;
}

static void expose(uint8_t *out, const double *light, struct pen *p)
{
    const double deviation = between(p, 0.02, 0.1);

    for (int i = 0; i < FIGURE_SIDE * FIGURE_SIDE; i += 4) {
        uint32_t words[4];

        rng_words(p->rng, p->index, (uint32_t)(DRAW_NOISE + i / 4), words);
        for (int k = 0; k < 4; k++) {
            const double v = light[i + k] + deviation * noise(words[k]);

            out[i + k] = (uint8_t)(fmin(fmax(v, 0.0), 1.0) * 255.0 + 0.5);
        }
    }
}

void figure_draw(uint8_t *out, const struct rng *r, uint64_t index, int kind)
{
    struct pen p = {.rng = r, .index = index};
    double light[FIGURE_SIDE * FIGURE_SIDE];
    int lines;

    paint_ground(light, &p);
    paint_figure(light, &p, distances[kind]);
    lines = (int)between(&p, 0.0, LINES_MAX + 1);
    for (int k = 0; k < lines; k++)
        paint_line(light, &p);
    expose(out, light, &p);
}
