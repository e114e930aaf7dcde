/*
 * path.h - the places of a robot that drives through way-points, as in study S001.
 *
 * A cubic spline (not-a-knot, over the numbers of the way-points) is sampled at equal steps of its
 * parameter, from the first way-point to the last. Way-points that form a closed loop repeat the
 * first one at the end; the spline is not closed by itself.
 */
#ifndef DATA_LIDAR_PATH_H
#define DATA_LIDAR_PATH_H

#include "data/lidar/waypoints.h"

struct lidar_path {
    int64_t count;
    struct lidar_point *points; /* [count] in the lidar's coordinates, owned */
};

/* resolution * (w->count - 1) points of a plan of width x height pixels. */
void lidar_path_init(struct lidar_path *p, const struct waypoints *w, int64_t resolution,
                     int64_t width, int64_t height);
void lidar_path_release(struct lidar_path *p);

/* The first point that is outside the plan or in a wall is an error; `name` begins the message. */
enum status lidar_path_check(const struct lidar_path *p, const struct lidar *l, const char *name);

/* From a file of way-points to a path that has been checked. */
enum status lidar_path_load(struct lidar_path *p, const char *file, int64_t resolution,
                            const struct lidar *l);

#endif
