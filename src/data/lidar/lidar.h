/*
 * lidar.h - a laser scanner that turns in a floor plan, as in study S001.
 *
 * Coordinates are in pixels from the centre of the plan, x to the right and y downwards; the plan
 * of nx x ny pixels reaches from -nx/2 to nx/2 and from -ny/2 to ny/2. The density at a point is
 * the cubic spline through the pixels: about 0 where it is free and 1 in a wall. A beam ends where
 * the density is first seen to be at least 1/2.
 *
 * A lidar does not change after it is made: all threads may use one.
 */
#ifndef DATA_LIDAR_LIDAR_H
#define DATA_LIDAR_LIDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/team.h"
#include "conf/field.h"
#include "data/floor_plan.h"

#define LIDAR_WALL 0.5 /* the density from which on a point is in a wall */

struct lidar_options {
    int64_t beams, beam_samples, collision_samples, fine_samples, border;
    double beam_length, distribution_factor;
    bool clipped, round_density;
};

/* The rows of the options, also for a table of a struct that begins with them. */
#define LIDAR_FIELDS                                                                               \
    FIELD_INT(struct lidar_options, beams, 20, 1, 100000, "beams of a scan"),                      \
        FIELD_REAL(struct lidar_options, beam_length, 0.2, 1e-6, 10,                               \
                   "length of a beam, as a fraction of the longer side of the plan"),              \
        FIELD_INT(struct lidar_options, beam_samples, 25, 1, 100000,                               \
                  "points of a beam that are kept"),                                               \
        FIELD_REAL(                                                                                \
            struct lidar_options, distribution_factor, 1, 1e-3, 1000,                              \
            "points of a beam that ends at a wall are at t^f of it; below 1: nearer to the wall"), \
        FIELD_INT(struct lidar_options, collision_samples, 50, 1, 100000,                          \
                  "points of a beam at which a wall is searched"),                                 \
        FIELD_INT(struct lidar_options, fine_samples, 3, 1, 100000,                                \
                  "points between the last free one and the wall at which the search is refined"), \
        FIELD_INT(struct lidar_options, border, 30, 0, 100000,                                     \
                  "pixels at the edges of the plan that become wall"),                             \
        FIELD_BOOL(                                                                                \
            struct lidar_options, clipped, false,                                                  \
            "keep the evenly spaced points of a beam up to the first in a wall; no search"),       \
        FIELD_BOOL(struct lidar_options, round_density, true, "round densities to 0 and 1")

extern const struct field lidar_fields[];

struct lidar_point {
    double x, y;
};

struct lidar_row {
    double x, y, density;
};

/* Whether a pixel becomes wall; the last column and the last row stay as they are, as in S001. */
bool lidar_is_border(const struct floor_plan *plan, int64_t border, int64_t column, int64_t row);

struct lidar;

/* The plan is not needed afterwards. A border that covers the plan is an error. */
enum status lidar_new(const struct floor_plan *plan, const struct lidar_options *options,
                      struct team *team, struct lidar **out);
void lidar_free(struct lidar *l); /* NULL is fine */

int64_t lidar_width(const struct lidar *l);
int64_t lidar_height(const struct lidar *l);

/* Where the pixel of this column and row is. */
struct lidar_point lidar_pixel(const struct lidar *l, int64_t column, int64_t row);

double lidar_density(const struct lidar *l, struct lidar_point at);
bool lidar_is_free(const struct lidar *l, struct lidar_point at);

/*
 * One scan: beam after beam, each from the lidar outwards. Returns the number of rows: always
 * lidar_rows_max, or, if the lidar is clipped, at most so many. The point must be free.
 * ends[lidar_beams]: the last point of each beam, or NULL.
 */
int64_t lidar_beams(const struct lidar *l);
int64_t lidar_rows_max(const struct lidar *l);
int64_t lidar_scan(const struct lidar *l, struct lidar_point at, struct lidar_row *rows,
                   struct lidar_point *ends);

/* One beam of it: at most beam_samples rows. */
int64_t lidar_scan_beam(const struct lidar *l, struct lidar_point at, int64_t beam,
                        struct lidar_row *rows);

#endif
