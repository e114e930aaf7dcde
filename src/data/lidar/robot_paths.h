/*
 * robot_paths.h - the paths of several robots through one building: from files, or generated.
 */
#ifndef DATA_LIDAR_ROBOT_PATHS_H
#define DATA_LIDAR_ROBOT_PATHS_H

#include "data/lidar/path.h"

/* All borrowed for the call. */
struct robot_paths_request {
    const struct floor_plan *plan;
    const struct lidar *lidar;
    int64_t border;     /* that of the lidar */
    const char *folder; /* of way-point files, by name; NULL: paths are generated */
    int64_t robots;     /* 0: as many as there are files, or ROBOTS_USUAL */
    int64_t resolution; /* places between two way-points */
    int64_t scans_max;  /* places of all robots together, at most */

    /* Of generated paths: places that each visits, and way-points of each, more if it would touch
     * a wall. */
    uint64_t seed;
    int64_t stops, waypoints;
    int64_t clearance; /* from walls, in pixels; 0: 1/60 of the shorter side */
};

enum { ROBOTS_USUAL = 7 }; /* of the study */

struct robot_paths {
    int64_t count;
    struct lidar_path *paths; /* [count], owned */
};

/*
 * A generated path is a closed loop: shortest ways through places, thinned to way-points. The
 * places of all robots together cover the plan (plan_cover.h). Paths that are not free are errors.
 * On failure nothing is left allocated.
 */
enum status robot_paths_make(struct robot_paths *p, const struct robot_paths_request *q);
void robot_paths_release(struct robot_paths *p);

#endif
