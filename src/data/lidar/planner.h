/*
 * planner.h - shortest ways through a floor plan, from pixel to pixel, by A*.
 *
 * A step goes to one of 4 neighbours or, if diagonals are allowed, of 8; a diagonal step is sqrt(2)
 * long and does not cut the corner of a wall. A planner has the memory of one search at a time.
 */
#ifndef DATA_LIDAR_PLANNER_H
#define DATA_LIDAR_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "data/floor_plan.h"
#include "data/lidar/waypoints.h"

struct planner_options {
    int64_t clearance; /* pixels this near to the centre of a wall's pixel are avoided; 0: none */
    int64_t border;    /* pixels at the edges that are wall, as for lidar */
    bool is_diagonal;
};

struct plan_cell {
    int32_t x, y;
};

/* A way from pixel to pixel. */
struct plan_route {
    int64_t count;
    struct plan_cell *cells; /* [count], owned */
    double length;           /* in pixels */
};
void plan_route_release(struct plan_route *r);

struct planner;

struct planner *planner_new(const struct floor_plan *plan, const struct planner_options *options);
void planner_free(struct planner *p); /* NULL is fine */

int64_t planner_width(const struct planner *p);
int64_t planner_height(const struct planner *p);

/* In the plan, not in a wall, and with the clearance. */
bool planner_is_free(const struct planner *p, struct plan_cell at);

/*
 * Appends a shortest way to the route, with both ends; the first one is left out where the route
 * is already there. false: one of them is not free, or no way leads there.
 */
bool planner_find(struct planner *p, struct plan_cell from, struct plan_cell to,
                  struct plan_route *route);

/* From the first cell to the next and so on; a message says which one cannot be reached. */
enum status planner_visit(struct planner *p, const struct plan_cell *via, int64_t count,
                          struct plan_route *route);

/*
 * Numbers the areas of free cells that are connected, from 1; labels [height][width], 0 where it is
 * not free. Returns the number of the largest, 0 if nothing is free.
 */
int32_t planner_label_areas(const struct planner *p, int32_t *labels);

/*
 * A random walk: shortest ways through `count` places and back to the first. They are drawn evenly
 * from the largest area that is connected.
 */
enum status planner_walk(struct planner *p, uint64_t seed, int64_t count, struct plan_route *route);

/*
 * The first and the last cell and some between them, at equal distances of about `spacing` cells or
 * less, as way-points of a plan of width x height: at least WAYPOINTS_MIN.
 */
void plan_route_thin(const struct plan_route *r, int64_t spacing, int64_t width, int64_t height,
                     struct waypoints *out);

#endif
