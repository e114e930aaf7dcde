/*
 * lidar.c - see lidar.h. Points are computed as NumPy does in the study: linspace(0, 1, n) is
 * i * (1 / (n - 1)), and a point of a beam is position + t * vector.
 */
#include "data/lidar/lidar.h"

#include <math.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/portable_math.h"
#include "data/lidar/cubic.h"

const struct field lidar_fields[] = {LIDAR_FIELDS, FIELD_LAST};

struct lidar {
    struct lidar_options options;
    struct cubic_surface surface;
    struct lidar_point *beams; /* [beams] the vectors from the lidar to the ends of its beams */
    double *distribution;      /* [beam_samples] t of the points in front of a wall */
};

/* --- set-up --- */

/* Number i of `count` that are equally spaced over [0, 1]. */
static double fraction(int64_t i, int64_t count)
{
    if (i > 0 && i == count - 1)
        return 1;
    return count > 1 ? (double)i * (1 / (double)(count - 1)) : 0;
}

bool lidar_is_border(const struct floor_plan *plan, int64_t border, int64_t column, int64_t row)
{
    const bool at_right = column >= plan->width - border && column < plan->width - 1;
    const bool at_bottom = row >= plan->height - border && row < plan->height - 1;

    return column < border || row < border || at_right || at_bottom;
}

static void make_surface(struct lidar *l, const struct floor_plan *plan, struct team *team)
{
    cubic_surface_init(&l->surface, plan->width, plan->height);
    for (int64_t row = 0; row < plan->height; row++) {
        const uint8_t *pixels = plan->pixels + row * plan->width;
        double *values = cubic_surface_row(&l->surface, row);

        for (int64_t column = 0; column < plan->width; column++)
            values[column] = lidar_is_border(plan, l->options.border, column, row)
                                 ? 1
                                 : (double)pixels[column] / 255;
    }
    cubic_surface_solve(&l->surface, team);
}

/* Beam b points at -pi + 2 pi b / beams. */
static void make_beams(struct lidar *l)
{
    const int64_t beams = l->options.beams, nx = l->surface.width, ny = l->surface.height;
    const double length = l->options.beam_length * (double)(nx > ny ? nx : ny);

    l->beams = MEM_NEW_N(struct lidar_point, beams);
    for (int64_t b = 0; b < beams; b++) {
        const double turn = (double)b / (double)beams;

        l->beams[b].x = -length * portable_cos_turn(turn);
        l->beams[b].y = -length * portable_cos_turn(turn < 0.25 ? turn + 0.75 : turn - 0.25);
    }
}

static void make_distribution(struct lidar *l)
{
    const int64_t samples = l->options.beam_samples;

    l->distribution = MEM_NEW_N(double, samples);
    for (int64_t i = 1; i < samples; i++)
        l->distribution[i] = portable_pow(fraction(i, samples), l->options.distribution_factor);
}

enum status lidar_new(const struct floor_plan *plan, const struct lidar_options *options,
                      struct team *team, struct lidar **out)
{
    const int64_t side = plan->width < plan->height ? plan->width : plan->height;

    *out = NULL;
    if (plan->width < CUBIC_POINTS_MIN || plan->height < CUBIC_POINTS_MIN)
        return FAIL(
            STATUS_BAD_INPUT, "the floor plan has %lld x %lld pixels; lidar needs at least %d x %d",
            (long long)plan->width, (long long)plan->height, CUBIC_POINTS_MIN, CUBIC_POINTS_MIN);
    if (2 * options->border >= side)
        return FAIL(STATUS_BAD_INPUT,
                    "a border of %lld pixels covers the whole floor plan of %lld x %lld pixels",
                    (long long)options->border, (long long)plan->width, (long long)plan->height);
    struct lidar *l = MEM_NEW(struct lidar);
    l->options = *options;
    make_surface(l, plan, team);
    make_beams(l);
    make_distribution(l);
    *out = l;
    return STATUS_OK;
}

void lidar_free(struct lidar *l)
{
    if (l == NULL)
        return;
    cubic_surface_release(&l->surface);
    mem_free(l->beams);
    mem_free(l->distribution);
    mem_free(l);
}

/* --- the plan --- */

int64_t lidar_width(const struct lidar *l)
{
    return l->surface.width;
}

int64_t lidar_height(const struct lidar *l)
{
    return l->surface.height;
}

struct lidar_point lidar_pixel(const struct lidar *l, int64_t column, int64_t row)
{
    const double nx = (double)l->surface.width, ny = (double)l->surface.height;

    return (struct lidar_point){nx * (fraction(column, l->surface.width) - 0.5),
                                ny * (fraction(row, l->surface.height) - 0.5)};
}

double lidar_density(const struct lidar *l, struct lidar_point at)
{
    const double nx = (double)l->surface.width, ny = (double)l->surface.height;

    return cubic_surface_at(&l->surface, (at.x / nx + 0.5) * (nx - 1),
                            (at.y / ny + 0.5) * (ny - 1));
}

bool lidar_is_free(const struct lidar *l, struct lidar_point at)
{
    return lidar_density(l, at) < LIDAR_WALL;
}

/* --- scans --- */

/* Points from + t * vector. */
struct line {
    struct lidar_point from, vector;
};

static struct line line_between(struct lidar_point a, struct lidar_point b)
{
    return (struct line){
        a, {b.x - a.x, b.y - a.y}
    };
}

static struct lidar_point point_on(const struct line *line, double t)
{
    return (struct lidar_point){line->from.x + t * line->vector.x,
                                line->from.y + t * line->vector.y};
}

/* The first of `samples` equally spaced points of a line that is in a wall; 0: none is. */
static int64_t first_in_wall(const struct lidar *l, const struct line *line, int64_t samples)
{
    for (int64_t i = 0; i < samples; i++) {
        if (lidar_density(l, point_on(line, fraction(i, samples))) >= LIDAR_WALL)
            return i;
    }
    return 0;
}

/* Where the beam meets the wall that the coarse search has found at point `hit`. */
static struct lidar_point refine_hit(const struct lidar *l, const struct line *beam, int64_t hit)
{
    const int64_t coarse = l->options.collision_samples, fine = l->options.fine_samples;
    const struct line last_step = line_between(point_on(beam, fraction(hit - 1, coarse)),
                                               point_on(beam, fraction(hit, coarse)));

    return point_on(&last_step, fraction(first_in_wall(l, &last_step, fine), fine));
}

static struct lidar_row measure(const struct lidar *l, struct lidar_point at)
{
    const double density = lidar_density(l, at);
    const double rounded = density > LIDAR_WALL ? 1 : 0; /* 1/2 becomes 0, as NumPy rounds it */

    return (struct lidar_row){at.x, at.y, l->options.round_density ? rounded : density};
}

/* All points of a beam, which ends at the first wall. */
static int64_t scan_whole_beam(const struct lidar *l, const struct line *beam,
                               struct lidar_row *rows)
{
    const int64_t samples = l->options.beam_samples;
    const int64_t hit = first_in_wall(l, beam, l->options.collision_samples);

    if (hit == 0) {
        for (int64_t i = 0; i < samples; i++)
            rows[i] = measure(l, point_on(beam, fraction(i, samples)));
        return samples;
    }
    const struct line free_part = line_between(beam->from, refine_hit(l, beam, hit));
    for (int64_t i = 0; i < samples; i++)
        rows[i] = measure(l, point_on(&free_part, l->distribution[i]));
    return samples;
}

/* The evenly spaced points up to the first in a wall. */
static int64_t scan_clipped_beam(const struct lidar *l, const struct line *beam,
                                 struct lidar_row *rows)
{
    const int64_t samples = l->options.beam_samples;
    const int64_t hit = first_in_wall(l, beam, samples);
    const int64_t count = hit == 0 ? samples : hit + 1;

    for (int64_t i = 0; i < count; i++)
        rows[i] = measure(l, point_on(beam, fraction(i, samples)));
    return count;
}

int64_t lidar_scan_beam(const struct lidar *l, struct lidar_point at, int64_t beam,
                        struct lidar_row *rows)
{
    const struct line line = {at, l->beams[beam]};

    return (l->options.clipped ? scan_clipped_beam : scan_whole_beam)(l, &line, rows);
}

int64_t lidar_beams(const struct lidar *l)
{
    return l->options.beams;
}

int64_t lidar_rows_max(const struct lidar *l)
{
    return l->options.beams * l->options.beam_samples;
}

int64_t lidar_scan(const struct lidar *l, struct lidar_point at, struct lidar_row *rows,
                   struct lidar_point *ends)
{
    int64_t count = 0;

    CHECK(lidar_is_free(l, at));
    for (int64_t b = 0; b < l->options.beams; b++) {
        count += lidar_scan_beam(l, at, b, rows + count);
        if (ends != NULL)
            ends[b] = (struct lidar_point){rows[count - 1].x, rows[count - 1].y};
    }
    return count;
}
