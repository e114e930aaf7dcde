/*
 * cubic.h - interpolating cubic splines over equally spaced points, of one and of two variables.
 *
 * The ends are "not-a-knot": the third derivative is continuous at the second and at the last but
 * one point. So the splines are those of SciPy's RectBivariateSpline (s=0) and
 * interp1d(kind="cubic").
 *
 * A spline is stored as coefficients of uniform B-splines: at i + s with 0 <= s <= 1 it is a sum of
 * four coefficients. Of n values there are n + 2: coefficient i + 1 belongs to value i.
 */
#ifndef DATA_LIDAR_CUBIC_H
#define DATA_LIDAR_CUBIC_H

#include <stdint.h>

#include "base/team.h"

enum { CUBIC_POINTS_MIN = 4 };

/*
 * c[count + 2] has the values at 1 to count; its first and last element are not read. Replaces all
 * by the coefficients.
 */
void cubic_solve(double *c, int64_t count);

/* At 0 <= at <= count - 1; beyond them the value of the nearer end. */
double cubic_at(const double *c, int64_t count, double at);

/* A spline over the pixels of a picture. */
struct cubic_surface {
    int64_t width, height;
    double *c; /* [height + 2][width + 2] */
};

/* All values are 0 until they are set. */
void cubic_surface_init(struct cubic_surface *s, int64_t width, int64_t height);
void cubic_surface_release(struct cubic_surface *s);

/* Row `row` of the values: width numbers to be set before cubic_surface_solve. */
double *cubic_surface_row(struct cubic_surface *s, int64_t row);

/* Replaces the values by the coefficients, by all threads of the team; same bits for any number. */
void cubic_surface_solve(struct cubic_surface *s, struct team *team);

/* In pixels from the centre of the top left one; outside the picture the value at its edge. */
double cubic_surface_at(const struct cubic_surface *s, double column, double row);

#endif
